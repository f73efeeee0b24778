// Searches one resource type: parses the query by its parameter table, and writes the Bundle. A search passes these files:
// 1. In `middleware/`, `authenticate.ts` checks the token (401) by the introspection that `server/wire-halves.ts` gives it.
//    `limit-requests.ts` wraps this introspection and limits the number of requests (429). `require-scopes.ts` checks the scopes (403).
//    `request-body.ts` reads the form of a POST. `interaction.ts` calls the interaction that `search` makes. `router.ts` and
//    `type-interactions.ts` connect these files.
// 2. `parse-search.ts` turns the query into clauses (400). Its head names the files that parse names, modifiers and values.
// 3. `resolve-snapshot.ts` gives the current snapshot, or that of the first page. If there are corrections, by which the operator hides
//    data, `corrections/corrected-snapshots.ts` has wrapped the snapshot.
// 4. `Snapshot.search` sends the query to a thread, through `threaded-snapshot.ts`, `search-threads.ts` and `search-thread.ts` in
//    `search-index/threads/`. In the thread, `search-index/read/reader.ts` opens the file, and `result-page.ts` makes the page of the
//    stored JSON. `evaluate-query.ts` finds the matches. For each clause, `query-plan.ts` looks up posting lists in
//    `term-dictionary.ts`, and puts the clause with the fewest matches first. `evaluate-segment.ts` evaluates the clauses of one segment.
//    Without `_sort`, matches come in alphabetical order, which is the order of positions (`evaluate-query.ts`). `value-order.ts` and
//    `distance-order.ts` make the other orders.
// 5. `includes.ts` adds included resources. `notes.ts` adds the notes of the parser and, on a first page, those on roles and on `near`.
//    `suggestions.ts` adds suggestions only if nothing was found.
// 6. `bundle.ts` writes the Bundle. `middleware/send-response.ts` sends it in the format that the client accepts (`format/serialize.ts`).

import { LRUCache } from 'lru-cache';
import { fhirError } from '#directory/errors.ts';
import { representationFor } from '#directory/format/serialize.ts';
import type { DirectoryRequest, Interaction } from '#directory/middleware/interaction.ts';
import { isLenient, rawQuery } from '#directory/middleware/raw-query.ts';
import { checkScopes } from '#directory/middleware/require-scopes.ts';
import { resolveSnapshot, type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import {
  type Clause,
  isChained,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  TooCostly,
} from '#search-index/index.ts';
import { present } from '#shared/present.ts';
import { traced } from '#shared/request-context.ts';
import { bundleJson } from './bundle.ts';
import { linkedTypes } from './chains.ts';
import { includedTypes } from './include-paths.ts';
import { type Inclusions, includedResources } from './includes.ts';
import { notesOf } from './notes.ts';
import { createSearchParser, type SearchRequest } from './parse-search.ts';
import type { OwnAddresses } from './parse-value.ts';
import { createSuggestions, SUGGESTION_LIMITS, type SuggestionLimits } from './suggestions.ts';

export interface SearchOptions extends OwnAddresses {
  snapshots: Snapshots;
  /** Limits of the suggestions for searches that find nothing; `SUGGESTION_LIMITS` if absent. */
  suggestions?: SuggestionLimits;
}

/** Makes the interaction of a search, by GET or by POST. */
export function search(
  table: ParameterTable,
  { base, namespace, snapshots, suggestions = SUGGESTION_LIMITS }: SearchOptions,
): Interaction {
  const { type } = table;
  const parse = createSearchParser(table, { base, namespace });
  const totals: Totals = new LRUCache({ max: MOST_TOTALS });
  const suggest = createSuggestions(table, parse, suggestions);
  return async (asked) => {
    const { token, abandoned } = asked;
    // STU3 http 2.20.0.7: a search by POST has the parameters of its address in addition to those of its form.
    const query = [asked.form, rawQuery(asked)].filter(Boolean).join('&');
    const request = parse(query, { lenient: isLenient(asked) });
    const { inclusions } = request;
    // The middleware has already checked the scopes of the type. They are listed here again, so that a refusal names all scopes that the
    // search needs.
    checkScopes(token, [...table.scopes, ...scopesOfOthers(table, request)]);
    const along = inclusions.length > 0 ? includedTypes(type, inclusions) : undefined;
    const representation = representationFor(type, asked.headers.accept, request, along);
    const snapshot = await resolveSnapshot(snapshots, request.page?.snapshot);
    const page = await find(snapshot, table, request, { totals, abandoned });
    const included =
      inclusions.length === 0
        ? NOTHING_INCLUDED
        : await traced(`directory include ${type}`, {}, () =>
            includedResources({ snapshot, base, abandoned }, type, page.matches, inclusions),
          );
    const answered = { table, request, snapshot, page, abandoned };
    const notes = [...(await notesOf(answered)), ...(await suggest(answered))];
    const json = bundleJson({ base, type, request, snapshot: snapshot.id, page, inclusions: included, notes });
    return { json, representation };
  };
}

/**
 * The totals of searches that have several pages, by `totalKey`. They are kept so that a process counts the matches of a search only once.
 * The key contains `stateOf`, so it changes when other resources are served. The links do not carry the total, because clients could change
 * it.
 */
type Totals = LRUCache<string, number>;
const MOST_TOTALS = 1000;

const totalKey = (snapshot: Snapshot, { hashed, total }: SearchRequest) => `${stateOf(snapshot)} ${total} ${hashed}`;

const NOTHING_INCLUDED: Inclusions = { included: [], incomplete: [] };

/**
 * Makes a function that gives the scopes of the resources that a search includes or reaches by chains, so that a refusal can name these
 * scopes as well. If the search cannot be parsed, the function gives no scopes and reports no fault, because the client is already refused
 * for a scope that it lacks.
 */
export function linkedScopes(table: ParameterTable, own: OwnAddresses) {
  const parse = createSearchParser(table, own);
  return (req: Pick<DirectoryRequest, 'url'>): readonly string[] => {
    try {
      return scopesOfOthers(table, parse(rawQuery(req), { lenient: true }));
    } catch {
      return [];
    }
  };
}

/** The scopes of the types that a search reads for chains and inclusions. */
function scopesOfOthers({ type }: ParameterTable, { clauses, inclusions }: SearchRequest): readonly string[] {
  const types = new Set([...linkedTypes(clauses), ...includedTypes(type, inclusions)]);
  return TABLES.filter((table) => types.has(table.type)).flatMap(({ scopes }) => scopes);
}

/** Checks whether a clause matches nothing, because the parser has left out all of its alternatives. */
function findsNothing(clause: Clause): boolean {
  if (isChained(clause)) return clause.clauses.some(findsNothing);
  return 'anyOf' in clause && clause.anyOf.length === 0 && !(clause.match === 'exact' && clause.not);
}

async function find(
  snapshot: Snapshot,
  { type }: ParameterTable,
  request: SearchRequest,
  { totals, abandoned }: { totals: Totals; abandoned(): boolean },
): Promise<SearchPage> {
  const { clauses, exactly, page, order } = request;
  const { after, before, instant } = page ?? {};
  if (clauses.some(findsNothing)) return { matches: [], more: false, total: 0 };
  const counted = page && request.total ? totals.get(totalKey(snapshot, request)) : undefined;
  const query: SearchQuery = {
    type,
    clauses,
    limit: request.totalOnly ? 0 : request.count,
    total: counted === undefined ? request.total : false,
    ...present({ after, before, instant }),
    ...(order && { order }),
    ...(exactly.length > 0 && { exactly }),
  };
  try {
    // The span has only numbers, because the values of a search must not be in a trace.
    const attributes = { 'hygie.search.clauses': clauses.length };
    const found = await traced(`directory search ${type}`, { attributes }, async (span) => {
      const result = await snapshot.search(query, { abandoned });
      span?.set({ 'hygie.search.matches': result.matches.length });
      return result;
    });
    if (counted !== undefined) return { ...found, total: counted };
    if (found.total !== undefined && (page || found.more)) totals.set(totalKey(snapshot, request), found.total);
    return found;
  } catch (error) {
    if (error instanceof TooCostly) throw fhirError(400, 'too-costly', `Too costly: ${error.message}.`);
    throw error;
  }
}
