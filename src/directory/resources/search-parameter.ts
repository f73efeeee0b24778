// SearchParameter as a resource type: its parameter table, and a snapshot in memory with the directory's own definitions.

import {
  type Clause,
  type ResourceType,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type StoredResource,
  tokenKeys,
} from '#search-index/index.ts';
import { digest } from '#shared/crypto/digest.ts';
import { definedBy, ID, type Parameter, type ParameterTable } from './parameters.ts';
import type { Snapshots } from './resolve-snapshot.ts';
import type { SearchParameter } from './search-parameter-definitions.ts';

export const SEARCH_PARAMETER: ParameterTable = {
  // No snapshot of the store holds it, so that its type matters nowhere.
  type: 'SearchParameter' as ResourceType,
  scopes: [],
  documentation: 'Definitions of the search parameters that are particular to this directory.',
  parameters: [
    parameter('url', { type: 'uri', matching: 'uri' }, 'The exact canonical address.'),
    parameter('code', { type: 'token', matching: 'token' }, 'The exact name of the parameter in a search.'),
    parameter('base', { type: 'token', matching: 'token' }, 'The exact type that it searches.'),
    parameter('type', { type: 'token', matching: 'token' }, 'The exact type of the parameter: string, token ...'),
    ID,
  ],
};

function parameter(
  name: string,
  rule: { type: 'uri'; matching: 'uri' } | { type: 'token'; matching: 'token' },
  documentation: string,
): Parameter {
  return { name, field: name, ...rule, definition: definedBy(`SearchParameter-${name}`), documentation };
}

interface Shelved {
  stored: StoredResource;
  keys: Readonly<Record<string, readonly string[]>>;
}

/** Snapshots that hold the definitions alone. Its name follows from its content: every process gives the same links. */
export function definitionSnapshots(definitions: readonly SearchParameter[]): Snapshots {
  const since = new Date().toISOString();
  const shelf = definitions
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((definition, position) => shelved(definition, position, since));
  const snapshot: Snapshot = {
    id: `definitions-${markOf(definitions)}`,
    search: async (query) => search(shelf, query),
    read: async (_type, wanted) => shelf.find(({ stored }) => stored.id === wanted)?.stored,
    gone: async () => undefined,
    history: async () => [],
    scan: async () => '',
    listGone: async () => [],
    counts: async () => ({ Practitioner: 0, Organization: 0, PractitionerRole: 0 }),
    close: async () => {},
  };
  return { current: () => snapshot, byId: async (wanted) => (wanted === snapshot.id ? snapshot : undefined) };
}

function shelved(definition: SearchParameter, position: number, lastUpdated: string): Shelved {
  const { resourceType, id, ...elements } = definition;
  const { url, code, base, type } = definition;
  const meta = { versionId: markOf(definition), lastUpdated };
  const json = JSON.stringify({ resourceType, id, meta, ...elements });
  return {
    stored: { position, id, ...meta, json },
    keys: {
      id: [id],
      url: [url],
      code: tokenKeys({ value: code }),
      base: base.flatMap((value) => tokenKeys({ value })),
      type: tokenKeys({ value: type }),
    },
  };
}

/** A FHIR id that changes with the content. */
function markOf(content: unknown): string {
  return digest(JSON.stringify(content)).replaceAll('_', '-').slice(0, 16);
}

function search(shelf: readonly Shelved[], query: SearchQuery): SearchPage {
  const { limit, order, after, before, total } = query;
  const found = shelf
    .filter((shelved) => query.clauses.every((clause) => holds(clause, shelved)))
    .map(({ stored }) => stored);
  // All are of one instant, so that every order is that of the ids, or its reverse.
  const ordered = order?.descending ? found.toReversed() : found;
  const rank = (position: number) => (order?.descending ? -position : position);
  const ahead = ordered.filter(({ position }) =>
    before === undefined ? after === undefined || rank(position) > rank(after) : rank(position) < rank(before),
  );
  return {
    matches: before === undefined ? ahead.slice(0, limit) : ahead.slice(-limit || ahead.length),
    more: ahead.length > limit,
    ...(total && { total: found.length }),
  };
}

function holds(clause: Clause, { keys }: Shelved): boolean {
  const own = keys[clause.field] ?? [];
  if (clause.match === 'present') return own.length > 0 === clause.present;
  if (clause.match !== 'exact') throw new Error(`${clause.field} of SearchParameter is not matched by ${clause.match}`);
  return clause.anyOf.some((key) => own.includes(key)) !== (clause.not ?? false);
}
