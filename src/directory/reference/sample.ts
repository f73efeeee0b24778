// The sample response on the page: a Bundle with a person. Everything in it is invented.

import { type Html, html } from '#web/html.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeBlock, prose, table } from './parts.ts';
import type { ReferenceDirectory } from './reference-data.ts';

/** A national identifier is the RPPS number after an 8. This one has a wrong check digit, so that it belongs to nobody. */
const RPPS = '10000000000';
const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.1';
const NOS = 'https://mos.esante.gouv.fr/NOS';

export function sampleChapter(directory: ReferenceDirectory, { sample }: ReferenceMessages): Html {
  const systems = systemsOf(directory);
  return chapter(
    'sample',
    sample.title,
    html`<p>${prose(sample.about)}</p>
${codeBlock('Bundle', laidOut(bundle(directory)))}
<h3>${sample.systems}</h3>
${table(
  sample.systems,
  [{ title: sample.system, kind: 'name' }, { title: sample.meaning }],
  systems.map(([system, name]) => [html`<code>${system}</code>`, prose(sample.meanings[name] ?? '')]),
)}`,
  );
}

/** The identifier systems that most entries have, each with its name in the messages. */
function systemsOf({ namespace }: ReferenceDirectory): readonly (readonly [system: string, name: string])[] {
  return [
    [NATIONAL, 'national'],
    ['https://rpps.esante.gouv.fr', 'rpps'],
    [`${namespace}/fhir/Identifier/practitioner-rpps`, 'rppsHere'],
    ['urn:oid:1.2.250.1.71.4.2.2', 'structure'],
    ['https://finess.esante.gouv.fr', 'finess'],
    ['https://sirene.fr', 'sirene'],
  ];
}

/** Formats JSON, with each short value on one line. */
function laidOut(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 90) return flat;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${laidOut(one, deeper)}`);
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

function bundle({ base, namespace }: ReferenceDirectory): object {
  const id = `8${RPPS}`;
  const official = (system: string, value: string) => ({ use: 'official', system, value });
  const link = `${base}/Practitioner?name=exemple&_count=1`;
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: 2,
    link: [
      { relation: 'self', url: link },
      { relation: 'next', url: `${link}&_page=...` },
    ],
    entry: [
      {
        fullUrl: `${base}/Practitioner/${id}`,
        resource: {
          resourceType: 'Practitioner',
          id,
          meta: { versionId: '1', lastUpdated: '2026-11-21T05:00:00.000Z' },
          identifier: [
            official(NATIONAL, id),
            official(`${namespace}/fhir/Identifier/practitioner-rpps`, RPPS),
            official('https://rpps.esante.gouv.fr', RPPS),
          ],
          active: true,
          name: [{ use: 'official', family: 'EXEMPLE', given: ['CAMILLE'], prefix: ['MME'] }],
          telecom: [{ system: 'email', value: 'camille.exemple@medecin.mssante.example', use: 'work', rank: 1 }],
          address: [{ use: 'work', line: ['1 RUE DE LA PAIX', '75002 PARIS'], city: 'Paris', postalCode: '75002' }],
          qualification: [
            {
              code: {
                coding: [
                  {
                    system: `${NOS}/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante`,
                    code: '10',
                    display: 'Médecin',
                  },
                ],
              },
            },
          ],
        },
        search: { mode: 'match' },
      },
    ],
  };
}
