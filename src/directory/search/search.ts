// Searches one resource type: parses the query against its parameter table, and writes the Bundle. A search passes these stations:
// 1. `router.ts` and `type-interactions.ts`: `authenticate.ts` (401, 429; `server/wire-directory.ts` gives it the introspection of tokens),
//    `require-scopes.ts` (403) and, by POST, `request-body.ts` in `middleware/`. `respond.ts` there calls the interaction that `search` makes.
// 2. `parse-search.ts`: the query becomes clauses (400); its head names the files of names, modifiers and values.
// 3. `resolve-snapshot.ts`: the edition in force, or that of the first page. `corrections/corrected-snapshots.ts` wraps it.
// 4. `Snapshot.search`: `search-index/threads/` brings the query to a thread (`threaded-snapshot.ts`, `search-threads.ts`, `search-thread.ts`); in
//    `search-index/read/`, `result-page.ts` has it evaluated (`evaluate-query.ts`, in the order that `query-plan.ts` finds cheapest, over the
//    words of `term-dictionary.ts`) and makes the page of the stored JSON (`reader.ts`).
// 5. `includes.ts` adds resources, `notes.ts` and `suggestions.ts` the hints.
// 6. `bundle.ts` writes the Bundle; `middleware/send-response.ts` sends it as the client accepts it (`format/serialize.ts`).

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
import { traced } from '#shared/request-context.ts';
import { bundleJson } from './bundle.ts';
import { linkedTypes } from './chains.ts';
import { includedTypes } from './include-paths.ts';
import { type Inclusions, includedResources } from './includes.ts';
import { notesOf } from './notes.ts';
import type { Page } from './page-token.ts';
import { createSearchParser, type SearchRequest } from './parse-search.ts';
import type { OwnAddresses } from './parse-value.ts';
import { createSuggestions, SUGGESTION_LIMITS, type SuggestionLimits } from './suggestions.ts';

export interface SearchOptions extends OwnAddresses {
  snapshots: Snapshots;
  /** Bounds of the help where nothing is found; `SUGGESTION_LIMITS` if absent. */
  suggestions?: SuggestionLimits;
}

/** A search, by GET or by POST. */
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
    // STU3 http 2.20.0.7: the parameters of the address are added to those of the form.
    const query = [asked.form, rawQuery(asked)].filter(Boolean).join('&');
    const request = parse(query, { lenient: isLenient(asked) });
    const { inclusions } = request;
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
 * Totals of searches with several pages, by `totalKey`. What is served of a snapshot changes only with `stateOf`, so each process counts once.
 * Totals are not in the links, where clients could change them.
 */
type Totals = LRUCache<string, number>;
const MOST_TOTALS = 1000;

const totalKey = (snapshot: Snapshot, { hashed, total }: SearchRequest) => `${stateOf(snapshot)} ${total} ${hashed}`;

/** Stands for the first page. */
const NO_PAGE: Page = { snapshot: '', number: 1, query: '' };

const NOTHING_INCLUDED: Inclusions = { included: [], incomplete: [] };

/**
 * Makes a function that gives the scopes of the resources that a search would include or reach by chains, for a refusal. Other errors of
 * the search are not reported before the token permits it.
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

/** The scopes of the types that a search reads beside its own. */
function scopesOfOthers({ type }: ParameterTable, { clauses, inclusions }: SearchRequest): readonly string[] {
  const types = new Set([...linkedTypes(clauses), ...includedTypes(type, inclusions)]);
  return TABLES.filter((table) => types.has(table.type)).flatMap(({ scopes }) => scopes);
}

/** Checks whether a clause has no alternative that could match. */
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
  const { snapshot: _snapshot, number: _number, query: _query, ...position } = page ?? NO_PAGE;
  if (clauses.some(findsNothing)) return { matches: [], more: false, total: 0 };
  const counted = page && request.total ? totals.get(totalKey(snapshot, request)) : undefined;
  const query: SearchQuery = {
    type,
    clauses,
    limit: request.totalOnly ? 0 : request.count,
    total: counted === undefined ? request.total : false,
    ...position,
    ...(order && { order }),
    ...(exactly.length > 0 && { exactly }),
  };
  try {
    // A trace never has the values of a search.
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
