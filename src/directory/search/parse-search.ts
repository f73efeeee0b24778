// Owns the parsing of a search: from the raw query to typed clauses, against the parameter table, once.
// Does not own the meaning of single values (`values.ts`), of steering parameters (`controls.ts`), nor the answer.

import type { Clause, Order } from '../../search-index/index.ts';
import { nearest } from '../../shared/nearest.ts';
import { Fault, fault, type Issue } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { distinctInclusions, type Inclusion, includeNames, inclusionsOf, isInclude } from './include-paths.ts';

import { criterionOf, writtenModifiers } from './modifiers.ts';
import { type Page, searchMark } from './page-token.ts';
import type { Parameter, ParameterTable } from './parameters.ts';
import { clauseOf, type OwnAddresses } from './parse-value.ts';
import { type Pair, pairsOf, queryOf, shownName } from './raw-query.ts';
import { type Controls, controlled, DEFAULT_CONTROLS, isControl, KNOWN_CONTROLS } from './result-parameters.ts';
import { orderOf, sortValues } from './sort-parameters.ts';
import { chained, otherName, PAGES, PAGES_GO_ON } from './unsupported-hints.ts';

/** A search as it was understood. */
export interface SearchRequest extends Controls {
  /** Joined by AND. */
  clauses: readonly Clause[];
  /** Each has a last word on what the clauses find, given as JSON text. */
  accepts: readonly ((json: string) => boolean)[];
  /** As `_sort` asks; that of the alphabet without it. */
  order?: Order;
  /** What `_include` and `_revinclude` ask for beside the matches. */
  inclusions: readonly Inclusion[];
  /** The understood parameters as they stand in every link, `_page` aside; empty when there are none. */
  criteria: string;
  /** The criteria and the order, without other steering parameters: what the pages of one walk have in common. */
  marked: string;
  /** What was left out on the client's wish (`Prefer: handling=lenient`). */
  ignored: readonly Issue[];
}

export type SearchParser = (raw: string, options: { lenient: boolean }) => SearchRequest;

/**
 * A parser for one type. It names all faults of a search at once.
 * @throws Fault 400: unknown parameter or modifier, empty or malformed value, a limit passed
 */
export function createSearchParser(table: ParameterTable, own: OwnAddresses): SearchParser {
  const parameters = new Map(table.parameters.map((parameter) => [parameter.name, parameter]));
  const sorted = sortValues(table).length > 0;
  const names = [...parameters.keys(), ...(sorted ? ['_sort'] : []), ...includeNames(table.type), ...KNOWN_CONTROLS];

  /** The parameter of that name and its modifier, nothing for a steering one. */
  function known(name: string): { parameter: Parameter; modifier?: string } | undefined {
    const parameter = parameters.get(name);
    if (parameter) return { parameter };
    if (isSteering(name) || isInclude(name)) return undefined;
    const bare = name.slice(0, Math.max(0, name.indexOf(':')));
    const shown = shownName(name);
    const chain = chained(table, name);
    if (chain !== undefined) throw fault(400, 'not-supported', `${shown}: ${chain}`, { parameter: shown });
    const modified = parameters.get(bare);
    const taken = modified ? writtenModifiers(modified) : [];
    const modifier = name.slice(bare.length + 1);
    if (modified && taken.includes(modifier)) return { parameter: modified, modifier };
    if (modified || isSteering(bare)) {
      const guess = nearest(modifier, taken);
      const meant = guess ? `: did you mean :${guess}? Else use ${bare} alone` : `, use ${bare} alone`;
      const instead = taken.length > 0 ? `: ${bare} takes ${taken.map((one) => `:${one}`).join(', ')}` : '';
      throw fault(400, 'not-supported', `${shown}: this modifier is not supported${meant}${instead}.`, {
        parameter: shown,
      });
    }
    if (PAGES.has(name)) throw fault(400, 'not-supported', `${shown}: ${PAGES_GO_ON}`, { parameter: shown });
    const usual = otherName(table, name);
    const guess = usual !== undefined && names.includes(usual) ? usual : nearest(name, names);
    const meant = guess ? `: did you mean ${guess}?` : '.';
    throw fault(
      400,
      'not-supported',
      `${shown || 'A nameless parameter'} is no search parameter of ${table.type}${meant} Known are ${names.join(', ')}.`,
      { parameter: shown },
    );
  }

  return (raw, { lenient }) => {
    const pairs = pairsOf(raw);
    if (pairs.length > LIMITS.parameters)
      throw fault(400, 'too-costly', `A search takes ${LIMITS.parameters} parameters at most: split it.`);
    const faults: Issue[] = [];
    const ignored: Issue[] = [];
    const clauses: Clause[] = [];
    const criteria: Pair[] = [];
    const steering: Pair[] = [];
    const accepts: ((json: string) => boolean)[] = [];
    let inclusions: Inclusion[] = [];
    const including: Pair[] = [];
    for (const [name, sent] of pairs) {
      const value = sent.trim();
      try {
        const found = known(name);
        if (value === '') throw new Fault(400, [emptyValue(name, table.type)]);
        if (!found) {
          if (isInclude(name)) {
            inclusions = distinctInclusions([...inclusions, ...inclusionsOf(table.type, name, value)]);
            including.push([name, value]);
          } else steering.push([name, value]);
          continue;
        }
        const { parameter, modifier } = found;
        if (modifier === undefined) clauses.push(clauseOf(parameter, value, own));
        else {
          const { clause, accept } = criterionOf(parameter, modifier, value, own);
          clauses.push(clause);
          if (accept) accepts.push(accept);
        }
        criteria.push([name, value]);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const list = lenient && (value === '' || isUnknown(name)) ? ignored : faults;
        list.push(...error.issues);
      }
    }
    const controls = controlsOf(steering, faults);
    checkWords(clauses, faults);
    const sorting = steering.length === 0 ? steering : steering.filter(([name]) => name === '_sort');
    const order = sortOf(sorting, faults);
    const marked = queryOf(sorting.length === 0 ? criteria : [...criteria, ...sorting]);
    const steered =
      including.length === 0 ? controls.links : [queryOf(including), controls.links].filter(Boolean).join('&');
    const linked = marked && steered ? `${marked}&${steered}` : marked || steered;
    if (linked.length > LIMITS.criteriaBytes)
      faults.push(issue('too-long', `A search takes ${LIMITS.criteriaBytes} bytes of criteria at most: split it.`));
    if (controls.page && controls.page.mark !== searchMark(table.type, marked))
      faults.push(issue('value', '_page belongs to another search: follow the links of a Bundle unchanged.', '_page'));
    if (controls.page && order?.by === 'updated' && !hasInstant(controls.page))
      faults.push(issue('value', '_page lacks an instant: follow the links of a Bundle unchanged.', '_page'));
    if (faults.length > 0) throw new Fault(400, faults);
    const understood = { clauses, accepts, inclusions, criteria: linked, marked, ignored: ignored.map(asWarning) };
    return { ...controls, ...understood, ...(order && { order }) };
  };

  function sortOf([sent, again]: readonly Pair[], faults: Issue[]): Order | undefined {
    if (again)
      faults.push(issue('value', '_sort stands more than once: send it once, with commas in its value.', '_sort'));
    try {
      return sent && orderOf(table, sent[1]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(...error.issues);
      return undefined;
    }
  }

  function isUnknown(name: string): boolean {
    const bare = name.split(':', 1)[0] ?? '';
    return !parameters.has(bare) && !isSteering(bare);
  }
}

/** Parameters of search results that the tables know more of than their name, taken by a type or not. */
const RESULTS: readonly string[] = ['_sort', '_include', '_revinclude'];

function isSteering(name: string): boolean {
  return isControl(name) || RESULTS.includes(name);
}

function hasInstant({ after, before, instant }: Page): boolean {
  return (after ?? before) === undefined || instant !== undefined;
}

function controlsOf(steering: readonly Pair[], faults: Issue[]): Controls {
  try {
    return controlled(steering);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(...error.issues);
    return DEFAULT_CONTROLS;
  }
}

function checkWords(clauses: readonly Clause[], faults: Issue[]): void {
  let words = 0;
  for (const clause of clauses) {
    if (clause.match === 'words') for (const alternative of clause.anyOf) words += alternative.length;
  }
  if (words > LIMITS.wordsOfSearch)
    faults.push(issue('too-costly', `A search takes ${LIMITS.wordsOfSearch} words in all at most: split it.`));
}

function emptyValue(name: string, type: string): Issue {
  const shown = shownName(name);
  return issue('value', `${shown} has no value: give it one, or leave it out to search every ${type}.`, shown);
}

function issue(code: Issue['code'], diagnostics: string, parameter?: string): Issue {
  return {
    severity: 'error',
    code,
    diagnostics,
    ...(parameter === undefined ? {} : { location: [`http.${parameter}`] }),
  };
}

function asWarning(error: Issue): Issue {
  return { ...error, severity: 'warning', diagnostics: `Ignored, as asked by Prefer: ${error.diagnostics}` };
}
