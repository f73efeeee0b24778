// A note beside the matches of a search around a place: what it cannot find, because nobody knows where it is.

import { type Issue, note } from '#directory/errors.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { type FieldClause, isChained, type Snapshot } from '#search-index/index.ts';
import { criteriaOf } from './chains.ts';
import { circlesOf } from './near.ts';
import type { SearchRequest } from './parse-search.ts';

interface Answered {
  table: ParameterTable;
  request: SearchRequest;
  snapshot: Snapshot;
  abandoned(): boolean;
}

/** Says how many resources match everything except `near` and have no position. */
export async function noteOfUnknownPositions(answered: Answered): Promise<readonly Issue[]> {
  const { table, request, snapshot, abandoned } = answered;
  if (request.page || circlesOf(criteriaOf(request.clauses)).length === 0) return [];
  const withoutPosition = (clause: FieldClause): FieldClause =>
    clause.match === 'near' ? { field: clause.field, match: 'present', present: false } : clause;
  const clauses = request.clauses.map((clause) =>
    isChained(clause) ? { ...clause, clauses: clause.clauses.map(withoutPosition) } : withoutPosition(clause),
  );
  const { exactly } = request;
  const query = { type: table.type, clauses, limit: 0, total: true, ...(exactly.length > 0 && { exactly }) };
  const { total = 0 } = await snapshot.search(query, { abandoned });
  if (total === 0) return [];
  return [
    note(
      `${total} more ${table.type} resources match the other criteria where no position is known, so near cannot find them: near:missing=true in its place lists them.`,
      'near',
    ),
  ];
}
