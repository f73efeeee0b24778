// The sample response on the reference page: a Bundle with a fictional person.

import type { ReferenceDirectory } from './reference-data.ts';

/**
 * The RPPS number of the fictional person. Its check digit is wrong, so it belongs to nobody. The national identifier is this number with
 * an 8 before it.
 */
const RPPS = '10000000000';
const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.1';
const NOS = 'https://mos.esante.gouv.fr/NOS';

/** The identifier systems that most entries have, each with the key of its name in the messages. */
export function systemsOf({ namespace }: ReferenceDirectory): readonly (readonly [system: string, name: string])[] {
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
export function laidOut(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 90) return flat;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${laidOut(one, deeper)}`);
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

const coded = (table: string, code: string, display: string) => ({
  coding: [{ system: `${NOS}/TRE_${table}/FHIR/TRE-${table.replace('_', '-')}`, code, display }],
});

/** Makes resources of a fictional person. They are shown for editions with real people. */
export function sampleResources({ namespace }: Pick<ReferenceDirectory, 'namespace'>): Record<string, object> {
  const id = `8${RPPS}`;
  const meta = { versionId: '1', lastUpdated: '2026-11-21T05:00:00.000Z' };
  const official = (system: string, value: string) => ({ use: 'official', system, value });
  return {
    Practitioner: {
      resourceType: 'Practitioner',
      id,
      meta,
      identifier: [
        official(NATIONAL, id),
        official(`${namespace}/fhir/Identifier/practitioner-rpps`, RPPS),
        official('https://rpps.esante.gouv.fr', RPPS),
      ],
      active: true,
      name: [{ use: 'official', family: 'EXEMPLE', given: ['CAMILLE'], prefix: ['MME'] }],
      telecom: [{ system: 'email', value: 'camille.exemple@medecin.mssante.example', use: 'work', rank: 1 }],
      address: [{ use: 'work', line: ['1 RUE DE LA PAIX', '75002 PARIS'], city: 'Paris', postalCode: '75002' }],
      qualification: [{ code: coded('G15-ProfessionSante', '10', 'Médecin') }],
    },
    PractitionerRole: {
      resourceType: 'PractitionerRole',
      id: `${id}-0a1b2c3d4e5f6g`,
      meta,
      active: true,
      practitioner: { reference: `Practitioner/${id}` },
      organization: { reference: 'Organization/F750000000' },
      code: [coded('R23-ModeExercice', 'L', 'Libéral')],
      specialty: [coded('R38-SpecialiteOrdinale', 'SM26', 'Qualifié en médecine générale')],
    },
  };
}

export function bundle(directory: Pick<ReferenceDirectory, 'base' | 'namespace'>): object {
  const { base } = directory;
  const { Practitioner: resource } = sampleResources(directory);
  const link = `${base}/Practitioner?name=exemple&_count=1`;
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: 2,
    link: [
      { relation: 'self', url: link },
      { relation: 'next', url: `${link}&_page=...` },
    ],
    entry: [{ fullUrl: `${base}/Practitioner/8${RPPS}`, resource, search: { mode: 'match' } }],
  };
}
