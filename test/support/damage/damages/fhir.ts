// Damages to editions of FHIR resources, one file for each type, one resource in each line.

import { RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import type { Resources } from '#support/damage/directory.ts';
import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage, Expectation } from './damage.ts';

/** The resources of a directory as files. */
export function asFhir(resources: Resources, date: string): EditionFiles {
  return new Map(
    RESOURCE_TYPES.map((type) => {
      const lines = [...resources]
        .filter(([reference]) => reference.startsWith(`${type}/`))
        .map(([, json]) => `${json}\n`);
      return [`${type}_${date}.ndjson`, Buffer.from(lines.join(''))];
    }),
  );
}

function ofFhir(
  name: string,
  renewal: Expectation,
  change: (lines: string[], draw: Draw) => string[],
  { type, ...more }: { type?: ResourceType } & Pick<Damage, 'firstLoad'> = {},
): Damage {
  return {
    name: `FHIR: ${name}`,
    renewal,
    ...more,
    form: 'fhir',
    apply: (files, { draw }) => {
      const chosen = type ?? draw.one(RESOURCE_TYPES);
      const [file = '', content = ''] = [...files].find(([one]) => one.startsWith(`${chosen}_`)) ?? [];
      const lines = change(content.toString().split('\n').slice(0, -1), draw);
      return new Map(files).set(file, Buffer.from(lines.join('\n')));
    },
  };
}

type Resource = Record<string, unknown>;
const each = (change: (resource: Resource) => Resource) => (lines: string[]) =>
  lines.map((line) => JSON.stringify(change(JSON.parse(line))));

export const FHIR: readonly Damage[] = [
  ofFhir('half of a file', /./, (lines) => lines.slice(0, lines.length / 2), { firstLoad: 'unseen' }),
  ofFhir('a file cut within a line', /./, (lines, draw) => {
    const kept = draw.between(lines.length >> 1, lines.length - 2);
    return [...lines.slice(0, kept), (lines[kept] ?? '').slice(0, 20)];
  }),
  ofFhir(
    'an element under another name',
    /./,
    each(({ name, identifier, ...rest }) => ({ ...rest, names: name, identifiers: identifier })),
    { type: 'Practitioner' },
  ),
  ofFhir(
    'names without a family',
    /./,
    each(({ name, ...rest }) => ({ ...rest, name: (name as Resource[]).map(({ family: _, ...one }) => one) })),
    { type: 'Practitioner', firstLoad: 'unseen' },
  ),
  ofFhir(
    'ids of the line before',
    /./,
    (lines) => {
      const ids = lines.map((line) => JSON.parse(line).id as string);
      return lines.map((line, at) => JSON.stringify({ ...JSON.parse(line), id: ids.at(at - 1) }));
    },
    { firstLoad: 'unseen' },
  ),
  ofFhir(
    'organizations of other lines',
    /./,
    (lines, draw) => {
      const organizations = draw.some(lines, lines.length).map((line) => JSON.parse(line).organization);
      return lines.map((line, at) => JSON.stringify({ ...JSON.parse(line), organization: organizations[at] }));
    },
    { type: 'PractitionerRole', firstLoad: 'unseen' },
  ),
  ofFhir('UTF-8 taken for Latin-1', /./, (lines) => lines.map((line) => Buffer.from(line).toString('latin1')), {
    type: 'Practitioner',
  }),
  ofFhir('roles without their people', /./, () => [], { type: 'Practitioner', firstLoad: 'unseen' }),
  ofFhir('every line twice, in another order', 'same', (lines, draw) =>
    draw.some([...lines, ...lines], lines.length * 2),
  ),
];
