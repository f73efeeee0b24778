// Notes that accompany the matches of a search. A note names a parameter that was ignored, a value that was understood in another way than
// written, or a fact that helps the client. All notes form one entry of the Bundle, with `search.mode` outcome. They never change which
// resources are found.

import { type Issue, note } from '#directory/errors.ts';
import { encodeQuery, type Pair, parseQuery } from '#directory/middleware/raw-query.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import {
  type Clause,
  type FieldClause,
  isChained,
  type SearchPage,
  type Snapshot,
  TooCostly,
  Unavailable,
} from '#search-index/index.ts';
import { criteriaOf } from './chains.ts';
import { circlesOf } from './near.ts';
import type { SearchRequest } from './parse-search.ts';

/**
 * A search with its result, for notes that depend on the result. The parser makes the notes that depend on the query alone
 * (`SearchRequest.notes`).
 */
export interface AnsweredSearch {
  table: ParameterTable;
  request: SearchRequest;
  snapshot: Snapshot;
  page: SearchPage;
  /** Becomes true if nobody waits for the answer any more. */
  abandoned(): boolean;
}

/**
 * Gives all notes of a search. The notes of the parser come first, and are on every page. The other notes are only on the first page, and
 * have to be quick, because that page waits for them.
 */
export async function notesOf(answered: AnsweredSearch): Promise<readonly Issue[]> {
  const { notes, page, totalOnly } = answered.request;
  if (page || totalOnly) return notes;
  const sources = [peopleWithoutRole, unknownPositions];
  const found = await Promise.all(sources.map((source) => source(answered).catch(withoutNote)));
  return [...notes, ...found.flat()];
}

/** Leaves out a note that would cost too much or cannot be made now, so that the search is answered without the note. */
function withoutNote(error: unknown): readonly Issue[] {
  if (error instanceof TooCostly || error instanceof Unavailable) return [];
  throw error;
}

/**
 * Makes a note that recommends to search for people by their speciality. A search for roles by speciality misses people with the speciality
 * but without a role in any structure. If the search has a further criterion, such as a structure, the client wants roles, so there is no
 * note.
 */
async function peopleWithoutRole({ table, request, snapshot, abandoned }: AnsweredSearch): Promise<readonly Issue[]> {
  const { clauses, hashed } = request;
  if (table.type !== 'PractitionerRole' || clauses.length === 0 || !clauses.every(isSpecialty)) return [];
  const people = clauses.map((clause) => ({ ...clause, field: 'qualification' }));
  const query = { type: 'Practitioner', clauses: people, limit: 0, total: 'unless-costly' } as const;
  const { total } = await snapshot.search(query, { abandoned });
  if (total === 0) return [];
  const asked = parseQuery(hashed).filter(([name]) => name === 'specialty');
  const criteria = encodeQuery(asked.map(([, value]): Pair => ['qualification', value]));
  return [
    note(
      `People without a role in any structure are not among these roles: Practitioner?${criteria} finds ${peopleText(total)} with this speciality.`,
      'specialty',
    ),
  ];
}

function peopleText(total: number | undefined): string {
  if (total === undefined) return 'all people';
  return total === 1 ? 'the one person' : `all ${total} people`;
}

function isSpecialty(clause: Clause): boolean {
  return clause.match === 'exact' && clause.field === 'specialty' && clause.not !== true && clause.anyOf.length > 0;
}

/**
 * Makes a note with the number of resources that `near` cannot find because they have no position, although they match all other criteria.
 * If the search has exact texts, the note gives no number, because each resource would have to be read to count them.
 */
async function unknownPositions({ table, request, snapshot, abandoned }: AnsweredSearch): Promise<readonly Issue[]> {
  const { exactly, hashed } = request;
  if (circlesOf(criteriaOf(request.clauses)).length === 0) return [];
  const withoutPosition = (clause: FieldClause): FieldClause =>
    clause.match === 'near' ? { field: clause.field, match: 'present', present: false } : clause;
  const clauses = request.clauses.map((clause) =>
    isChained(clause) ? { ...clause, clauses: clause.clauses.map(withoutPosition) } : withoutPosition(clause),
  );
  const { total } = await snapshot.search({ type: table.type, clauses, limit: 0, total: true }, { abandoned });
  if (total === 0) return [];
  const found =
    exactly.length > 0 ? `More ${table.type} resources may match` : `${total} more ${table.type} resources match`;
  const [name = 'near'] = parseQuery(hashed).flatMap(([one]) => (/(^|[.:])near$/.test(one) ? one : []));
  return [
    note(
      `${found} the other criteria where no position is known, so ${name} cannot find them: ${name}:missing=true in its place lists them.`,
      name,
    ),
  ];
}
