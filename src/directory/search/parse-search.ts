// Parses a search: turns the raw query into clauses, by the parameter table of the type (`resources/practitioner.ts` and others;
// `Parameter` in `resources/parameters.ts` describes the columns of a table). `parameter-names.ts` parses names, and refuses an unknown
// name with a list of the known ones. `modifiers.ts` makes the criterion of each parameter, and calls `parse-value.ts` for the value.
// `result-parameters.ts` parses `_count`, `_sort` and the other result parameters.

import { FhirError, fhirError, type Issue, issueOf, shownName } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { encodeQuery, type Pair, parseQuery } from '#directory/middleware/raw-query.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import type { Clause, ExactText, Order } from '#search-index/index.ts';
import { chainedClause, criteriaOf, linkedTypes } from './chains.ts';
import { distinctInclusions, type Inclusion, isInclude, parseInclusions } from './include-paths.ts';
import { parseCriterion } from './modifiers.ts';
import { circlesOf } from './near.ts';
import { type Page, queryHash } from './page-token.ts';
import { parameterNames } from './parameter-names.ts';
import type { OwnAddresses } from './parse-value.ts';
import {
  DEFAULT_RESULT_PARAMETERS,
  parseResultParameters,
  parseSort,
  type ResultParameters,
} from './result-parameters.ts';
import { notesOnValue } from './value-notes.ts';

/** A parsed search. */
export interface SearchRequest extends ResultParameters {
  /** A resource is found only if it matches all of these clauses. */
  clauses: readonly Clause[];
  /** Texts that must occur letter for letter in the resources that the clauses find. */
  exactly: readonly ExactText[];
  /** The order that `_sort` asks for; alphabetical if absent. */
  order?: Order;
  /** The inclusions that `_include` and `_revinclude` ask for. */
  inclusions: readonly Inclusion[];
  /**
   * The parameters of the search in the form in which every link repeats them. `_page` and ignored parameters are not among them. Empty if
   * there are none.
   */
  criteria: string;
  /**
   * The search criteria and `_sort`, without other result parameters. They are the same on all pages of a search. So a link to a page
   * carries their hash, by which a page of another search is refused.
   */
  hashed: string;
  /**
   * Notes that depend on the query alone. Each parameter that was ignored has a note; parameters are ignored only if the client asked for
   * that (`Prefer: handling=lenient`).
   */
  notes: readonly Issue[];
}

export type SearchParser = (raw: string, options: { lenient: boolean }) => SearchRequest;

/**
 * Makes a parser for one type. If a query has several faults, the error lists all of them.
 * @throws FhirError 400 for an unknown parameter or modifier, an empty or malformed value, or an exceeded limit
 */
export function createSearchParser(table: ParameterTable, own: OwnAddresses): SearchParser {
  const names = parameterNames(table);

  // This is one function, because a search by identifier takes 7 % more processor time if it is split into functions (npm run bench).
  return (raw, { lenient }) => {
    const pairs = parseQuery(raw);
    if (pairs.length > LIMITS.parameters)
      throw fhirError(400, 'too-costly', `A search takes ${LIMITS.parameters} parameters at most: split it.`);
    const issues: Issue[] = [];
    const notes: Issue[] = [];
    const clauses: Clause[] = [];
    const criteria: Pair[] = [];
    const resultPairs: Pair[] = [];
    const exactly: ExactText[] = [];
    let inclusions: Inclusion[] = [];
    const including: Pair[] = [];
    let length = 0;
    for (const [name, sent] of pairs) {
      const value = sent.trim();
      try {
        const found = names.known(name);
        if (value === '') throw new FhirError(400, [emptyValue(name, table.type)]);
        if (!found) {
          if (isInclude(name)) {
            inclusions = distinctInclusions([...inclusions, ...parseInclusions(table.type, name, value)]);
            including.push([name, value]);
          } else resultPairs.push([name, value]);
          continue;
        }
        const { parameter, modifier, chain } = found;
        // The rest of a search that is too long is not parsed, because the search is refused below.
        length += name.length + value.length;
        if (length > LIMITS.criteriaBytes) break;
        const { clause, exact } = parseCriterion(found, value, own);
        if (exact && !chain) exactly.push(exact);
        clauses.push(chain ? chainedClause(chain, clause, exact) : clause);
        if (modifier === undefined) notes.push(...notesOnValue(table.type, parameter, value));
        criteria.push([name, value]);
      } catch (error) {
        if (!(error instanceof FhirError)) throw error;
        if (lenient && (value === '' || names.isUnknown(name))) notes.push(...error.issues.map(asWarning));
        else issues.push(...error.issues);
      }
    }
    if (length > LIMITS.criteriaBytes) throw new FhirError(400, [...issues, TOO_LONG]);
    const results = collectIssues(issues, () => parseResultParameters(resultPairs)) ?? DEFAULT_RESULT_PARAMETERS;
    checkCosts(clauses, issues);
    const sorting = resultPairs.length === 0 ? resultPairs : resultPairs.filter(([name]) => name === '_sort');
    const order = sortOf(sorting, issues);
    const hashed = encodeQuery(sorting.length === 0 ? criteria : [...criteria, ...sorting]);
    const unhashed =
      including.length === 0 ? results.links : [encodeQuery(including), results.links].filter(Boolean).join('&');
    const linked = hashed && unhashed ? `${hashed}&${unhashed}` : hashed || unhashed;
    if (linked.length > LIMITS.criteriaBytes) issues.push(TOO_LONG);
    if (results.page && results.page.query !== queryHash(table.type, hashed))
      issues.push(issue('value', '_page belongs to another search: follow the links of a Bundle unchanged.', '_page'));
    if (order?.by === 'distance' && circlesOf(clauses).length !== 1)
      issues.push(issue('value', SORT_NEEDS_CIRCLE, '_sort'));
    if (results.page && (order?.by === 'updated' || order?.by === 'distance') && !hasInstant(results.page))
      issues.push(issue('value', '_page lacks an instant: follow the links of a Bundle unchanged.', '_page'));
    if (issues.length > 0) throw new FhirError(400, issues);
    const understood = { clauses, exactly, inclusions, criteria: linked, hashed, notes };
    return { ...results, ...understood, ...(order && { order }) };
  };

  function sortOf([sent, again]: readonly Pair[], issues: Issue[]): Order | undefined {
    if (again)
      issues.push(issue('value', '_sort stands more than once: send it once, with commas in its value.', '_sort'));
    return sent && collectIssues(issues, () => parseSort(table, sent[1]));
  }
}

function hasInstant({ after, before, instant }: Page): boolean {
  return (after ?? before) === undefined || instant !== undefined;
}

/** Calls `parse` and returns its result. If it throws a FhirError, adds the issues of the error to `issues` and returns undefined. */
function collectIssues<Result>(issues: Issue[], parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    issues.push(...error.issues);
    return undefined;
  }
}

const SORT_NEEDS_CIRCLE =
  '_sort=near goes by the distance from the centre of a circle: send near too, once and with one value.';

function checkCosts(clauses: readonly Clause[], issues: Issue[]): void {
  let words = 0;
  for (const clause of criteriaOf(clauses)) {
    if (clause.match === 'words') for (const alternative of clause.anyOf) words += alternative.length;
  }
  if (words > LIMITS.wordsOfSearch)
    issues.push(issue('too-costly', `A search takes ${LIMITS.wordsOfSearch} words in all at most: split it.`));
  if (circlesOf(criteriaOf(clauses)).length > LIMITS.circlesOfSearch)
    issues.push(
      issue('too-costly', `A search takes ${LIMITS.circlesOfSearch} circles in all at most: split it.`, 'near'),
    );
  if (linkedTypes(clauses).length > LIMITS.chains)
    issues.push(issue('too-costly', `A search takes ${LIMITS.chains} chains at most: split it.`));
}

function emptyValue(name: string, type: string): Issue {
  const shown = shownName(name);
  return issue('value', `${shown} has no value: give it one, or leave it out to search every ${type}.`, shown);
}

const issue = (code: Issue['code'], diagnostics: string, parameter?: string) =>
  issueOf('error', code, diagnostics, parameter);

const TOO_LONG = issue('too-long', `A search takes ${LIMITS.criteriaBytes} bytes of criteria at most: split it.`);

function asWarning(error: Issue): Issue {
  return { ...error, severity: 'warning', diagnostics: `Ignored, as asked by Prefer: ${error.diagnostics}` };
}
