// Checks the stored resources of one type: each text, version and date, and that references lead to something.

import type BetterSqlite3 from 'better-sqlite3';
import { TABLE_OF } from '../file-layout.ts';
import type { ResourceRow } from '../read/type-reader.ts';
import type { IndexedResource, ResourceType } from '../snapshot.ts';
import { decodeText } from '../text-dictionary.ts';
import type { Findings } from './findings.ts';
import type { KnownIds } from './known-ids.ts';

/** What the caller knows of resources and the search index does not. */
export interface ResourceRules {
  /** What is wrong with a parsed resource; nothing when it is valid. */
  validate(resource: unknown): string | undefined;
  /** Sort key and index entries of a resource, taken from its elements. */
  entriesOf(resource: IndexedResource['resource']): Pick<IndexedResource, 'sortKey' | 'index'>;
}

export interface CheckContext {
  database: BetterSqlite3.Database;
  findings: Findings;
  rules: ResourceRules;
  /** Milliseconds since 1970: no resource can have changed later. */
  created: number;
  /** Of the types that were checked before, and of this one, which is filled. */
  ids: Record<ResourceType, KnownIds>;
}

/** A valid resource, and when it changed last (milliseconds since 1970). */
interface ReadResource {
  resource: IndexedResource['resource'];
  updated: number;
}

const ID = /^[A-Za-z0-9\-.]{1,64}$/;

const REFERENCES: Readonly<Record<ResourceType, readonly (readonly [element: string, target: ResourceType])[]>> = {
  Practitioner: [],
  Organization: [['partOf', 'Organization']],
  PractitionerRole: [
    ['practitioner', 'Practitioner'],
    ['organization', 'Organization'],
  ],
};

/**
 * Checks all resources of a type, and yields the valid ones in the order of storage.
 * @param texts the dictionary of the type's texts
 * @param count of its resources when it was imported
 */
export function* checkResources(
  { database, findings, rules, created, ids }: CheckContext,
  type: ResourceType,
  texts: readonly string[],
  count: number,
): Generator<ReadResource, void> {
  const rows = database
    .prepare<[], ResourceRow & { ordinal: number }>(
      `select ordinal, id, version, updated, body from ${TABLE_OF[type]} order by ordinal`,
    )
    .iterate();
  // References within the type may lead forward: they are resolved at the end.
  const unresolved: { from: string; to: string }[] = [];
  let read = 0;
  let misplaced = 0;
  for (const { ordinal, ...row } of rows) {
    const name = `${type}/${row.id}`;
    if (ordinal !== read++) misplaced++;
    const resource = parsed(row, type, texts);
    const problem =
      problemOfRow(row, created) ?? (resource === undefined ? 'its text is no JSON' : rules.validate(resource));
    if (problem !== undefined) findings.add('resource', `${name}: ${problem}`);
    if (resource === undefined) continue;
    if (!ids[type].add(row.id)) {
      findings.add('resource', `${name}: is stored twice`);
      continue;
    }
    for (const [element, target] of REFERENCES[type]) {
      const to = targetOf(resource[element], target);
      if (to === undefined || ids[target].has(to)) continue;
      if (target === type) unresolved.push({ from: `${name}.${element}`, to });
      else findings.add('reference', `${name}.${element} leads to ${target}/${to}, which is not there`);
    }
    if (problem === undefined) yield { resource, updated: row.updated };
  }
  if (read !== count) findings.add('counts', `${type}: ${read}, and ${count} when it was loaded`);
  else if (misplaced > 0) findings.add('counts', `${type}: ${misplaced} of ${count} rows are not numbered from 0 on`);
  for (const { from, to } of unresolved) {
    if (!ids[type].has(to)) findings.add('reference', `${from} leads to ${type}/${to}, which is not there`);
  }
}

function parsed(row: ResourceRow, type: ResourceType, texts: readonly string[]) {
  try {
    const resource: unknown = JSON.parse(
      `{"resourceType":"${type}","id":${JSON.stringify(row.id)}${decodeText(row.body, texts)}`,
    );
    return resource as IndexedResource['resource'];
  } catch {
    return undefined;
  }
}

function problemOfRow({ id, version, updated }: ResourceRow, created: number): string | undefined {
  if (typeof id !== 'string' || !ID.test(id)) return 'its id is no FHIR id';
  if (!Number.isSafeInteger(version) || version < 1) return `its version is ${version}`;
  if (!Number.isSafeInteger(updated) || updated > created) return 'it was changed later than the snapshot was made';
  return undefined;
}

/** Id of a reference within the directory; nothing for one that leads elsewhere. */
function targetOf(value: unknown, target: ResourceType): string | undefined {
  const reference = (value as { reference?: unknown } | undefined)?.reference;
  if (typeof reference !== 'string' || !reference.startsWith(`${target}/`)) return undefined;
  return reference.slice(target.length + 1).split('/')[0];
}

/** An id is there or gone, never both. */
export function checkGone({ database, findings, ids, created }: CheckContext, type: ResourceType): void {
  const rows = database
    .prepare<[string], { id: string; version: number; since: number }>(
      'select id, version, since from gone where type = ?',
    )
    .iterate(type);
  for (const { id, version, since } of rows) {
    if (ids[type].has(id)) findings.add('gone', `${type}/${id} is there, and listed as gone`);
    if (version < 1 || since > created) findings.add('gone', `${type}/${id}: gone since ${since}, version ${version}`);
  }
}
