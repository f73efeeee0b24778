// People who have a speciality, but no role in any structure, are not among the roles of that speciality: a note says how to find all.

import { type Issue, note } from '#directory/errors.ts';
import { encodeQuery, type Pair, parseQuery } from '#directory/middleware/raw-query.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { type Clause, type Snapshot, TooCostly } from '#search-index/index.ts';
import type { SearchRequest } from './parse-search.ts';

/** A search for roles of a speciality, of which Practitioner has the same keys. */
interface RoleSearch {
  table: ParameterTable;
  request: SearchRequest;
  snapshot: Snapshot;
  abandoned(): boolean;
}

/**
 * The note on the first page of a search for roles by speciality, if people have it. A further criterion such as a structure wants roles,
 * and gets none.
 */
export async function noteOfPeopleWithoutRole(search: RoleSearch): Promise<readonly Issue[]> {
  const { table, request, snapshot, abandoned } = search;
  const { clauses, page, totalOnly, hashed } = request;
  if (table.type !== 'PractitionerRole' || page || totalOnly || clauses.length === 0) return [];
  if (!clauses.every(isSpecialty)) return [];
  const people = {
    type: 'Practitioner',
    clauses: clauses.map((clause) => ({ ...clause, field: 'qualification' })),
    limit: 0,
    total: 'unless-costly',
  } as const;
  try {
    const { total } = await snapshot.search(people, { abandoned });
    if (total === 0) return [];
    const asked = parseQuery(hashed).filter(([name]) => name === 'specialty');
    const criteria = asked.map(([, value]): Pair => ['qualification', value]);
    const found = total === undefined ? 'all people' : total === 1 ? 'the one person' : `all ${total} people`;
    return [
      note(
        `People without a role in any structure are not among these roles: Practitioner?${encodeQuery(criteria)} finds ${found} with this speciality.`,
        'specialty',
      ),
    ];
  } catch (error) {
    // The search for roles has its answer without the note.
    if (error instanceof TooCostly) return [];
    throw error;
  }
}

function isSpecialty(clause: Clause): boolean {
  return clause.match === 'exact' && clause.field === 'specialty' && clause.not !== true && clause.anyOf.length > 0;
}
