// Gives tests a few FHIR resources, the two forms of a source, and an import that sees single errors without refusing them.

import type { ImportReport } from '#import/judgement/import-report.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import { type Bench, SETTINGS } from './register-files.ts';

export const jeanne = {
  resourceType: 'Practitioner',
  id: 'jeanne',
  meta: { versionId: '9', lastUpdated: '2020-01-01T00:00:00Z', profile: ['https://example.org/x'] },
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Jeanne</div>' },
  identifier: [{ system: 'https://ids.example', value: 'J-1' }],
  active: true,
  name: [{ use: 'official', family: 'MARTIN', given: ['Jeanne', 'Anne'], prefix: ['DR'] }],
};
export const clinic = {
  resourceType: 'Organization',
  id: 'clinic',
  name: 'CLINIQUE DU PARC',
  partOf: { reference: 'Organization/group' },
};
export const group = {
  resourceType: 'Organization',
  id: 'group',
  identifier: [{ value: 'G' }],
  type: [{ text: 'Groupe' }],
};
export const role = {
  resourceType: 'PractitionerRole',
  id: 'role',
  practitioner: { reference: 'Practitioner/jeanne' },
  organization: { reference: 'Organization/clinic' },
};
export const ALL = [jeanne, clinic, group, role];

export const ndjson = (...resources: unknown[]) =>
  resources.map((resource) => `${JSON.stringify(resource)}\n`).join('');
export const bundle = (resources: unknown[], more: object = { type: 'collection' }) =>
  JSON.stringify({ resourceType: 'Bundle', ...more, entry: resources.map((resource) => ({ resource })) });

/** Half of the lines may be unusable, so that single errors are seen and not refused. */
export function load(bench: Bench, ...paths: string[]): Promise<ImportReport> {
  const guards = { ...SETTINGS.directory.guards, unusableLines: 0.5 };
  const directory = { ...SETTINGS.directory, guards };
  return bench.run(paths, { settings: { ...SETTINGS, dataFolder: bench.dataFolder, directory } });
}

/** Ids that the current snapshot finds by an exact key, nine at most. */
export async function exact(bench: Bench, type: ResourceType, field: string, key: string): Promise<string[]> {
  const query = { type, clauses: [{ field, match: 'exact', anyOf: [key] } as const], limit: 9, total: true };
  return (await (await bench.snapshot()).search(query)).matches.map(({ id }) => id);
}
