// Suggestions for a search that finds nothing. They say how the search was understood, and name up to three other searches that find
// something, each with its total. They never change the result of the search. Suggestions are looked for during some milliseconds. Then the
// response is sent with those that were found.

import { LRUCache } from 'lru-cache';
import { FhirError, type Issue, note, shownName } from '#directory/errors.ts';
import { encodeQuery, type Pair, parseQuery } from '#directory/middleware/raw-query.ts';
import { stateOf } from '#directory/resolve-snapshot.ts';
import { knownWords, labelsMeant } from '#directory/resources/label-synonyms.ts';
import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import { Abandoned, type Snapshot, TooCostly, Unavailable } from '#search-index/index.ts';
import { nearest } from '#shared/nearest.ts';
import { linkedTable } from './chains.ts';
import type { AnsweredSearch } from './notes.ts';
import { parameterNames } from './parameter-names.ts';
import type { SearchParser } from './parse-search.ts';
import { splitUnescaped, unescaped, wordsWithoutTitles } from './parse-value.ts';

/** Limits of the suggestions in one process. */
export interface SuggestionLimits {
  /** Milliseconds after which the process stops looking for suggestions for one search. */
  within: number;
  /**
   * Share (0-1) of its time that the process may spend on suggestions. With this limit, even a flood of searches that find nothing costs
   * little more than without suggestions.
   */
  share: number;
}

/**
 * With `within` 12, the suggestions for one search take less than 20 ms of a search thread: a thread looks at the clock every 8 ms, and
 * then gives up a search if its time is over.
 */
export const SUGGESTION_LIMITS: SuggestionLimits = { within: 12, share: 0.1 };

/**
 * `MOST`: maximum number of suggestions for one search. `MOST_TRIED`: maximum number of other searches that are tried. `MOST_WORDS`: other
 * spellings are looked up for this number of words of a value at most.
 */
const [MOST, MOST_TRIED, MOST_WORDS] = [3, 8, 3];
/** The suggestions of this number of searches are kept in memory. */
const REMEMBERED = 1000;

interface Candidate {
  pairs: readonly Pair[];
  why: string;
}

/** Makes the function that gives the suggestions for a search of the type. */
export function createSuggestions(table: ParameterTable, parse: SearchParser, { within, share }: SuggestionLimits) {
  const remembered = new LRUCache<string, readonly Issue[]>({ max: REMEMBERED });
  const names = parameterNames(table);
  const criterionOf = ([name, value]: Pair): Criterion => {
    const { parameter, modifier, chain } = names.known(name) ?? {};
    const linked = chain ? linkedTable(chain) : table;
    return { name, value, table: linked, prefix: chain?.prefix ?? '', parameter: modifier ? undefined : parameter };
  };
  let restsUntil = 0;
  return async (answered: AnsweredSearch): Promise<readonly Issue[]> => {
    const { page, request, snapshot } = answered;
    if (page.matches.length > 0 || page.more || page.total || request.page || request.totalOnly) return [];
    if (!TABLES.includes(table)) return [];
    const key = `${stateOf(snapshot)} ${request.hashed}`;
    const known = remembered.get(key);
    const began = performance.now();
    if (known || began < restsUntil) return known ?? [];
    const criteria = parseQuery(request.hashed)
      .filter(([name]) => name !== '_sort')
      .map(criterionOf);
    if (!criteria.some(canVary)) return [];
    if (share < 1) restsUntil = Number.POSITIVE_INFINITY;
    try {
      const left = () => within - (performance.now() - began);
      const { found, complete } = await suggestions(table, criteria, { ...answered, parse, left });
      // If there is no suggestion, the note on how the search was understood is left out, too. The Bundle is then empty, as in STU3's own
      // examples.
      const what = note(`Nothing was found with all of: ${criteria.map(understood).join('; ')}.`);
      const issues = found.length > 0 ? [what, ...found] : [];
      // A process that is busy may find nothing in time. The next search looks again.
      if (found.length > 0 || complete) remembered.set(key, issues);
      return issues;
    } finally {
      const ended = performance.now();
      restsUntil = ended + (ended - began) * (1 / share - 1);
    }
  };
}

/** One parameter of the search that found nothing. */
interface Criterion {
  name: string;
  value: string;
  /** The parameter. Undefined if the name in the query has a modifier, because no variants of such a criterion are tried. */
  parameter: Parameter | undefined;
  /** The table that has the parameter. For a chain, it is the table of the linked type. */
  table: ParameterTable;
  /** The chain at the beginning of the name, which leads to the type of `table`; empty without a chain. */
  prefix: string;
}

/** Checks whether `candidates` can vary the criterion: words, a label, or a code with its system. */
function canVary({ parameter, value }: Criterion): boolean {
  const matching = parameter?.matching;
  return (
    matching === 'words' || matching === 'labelled' || (matching === 'token' && systemAndCode(value) !== undefined)
  );
}

/** Returns the parts of a value `system|code`, as they are written; undefined for any other value. */
function systemAndCode(value: string): { system: string; code: string } | undefined {
  const [system, code, ...more] = splitUnescaped(value, '|');
  return system && code && more.length === 0 ? { system, code } : undefined;
}

function understood({ name, value, parameter }: Criterion): string {
  const alternatives = splitUnescaped(value, ',').map(unescaped);
  if (parameter?.matching !== 'words') return `${name} ${shownName(value)}${parameter ? ' (exact)' : ''}`;
  const words = alternatives.map((text) => wordsWithoutTitles(parameter, text).join(' '));
  return `${name} with words that begin with ${shownName(words.join(' or '))}`;
}

interface Trying {
  snapshot: Snapshot;
  parse: SearchParser;
  abandoned(): boolean;
  /** Milliseconds that are left for the suggestions. */
  left(): number;
}

/** Returns the suggestions that were found. `complete` is false if the time was over at the end, or if the search threads did not answer. */
async function suggestions(table: ParameterTable, asked: readonly Criterion[], trying: Trying) {
  const found: Issue[] = [];
  const tried = new Set<string>();
  try {
    for await (const { pairs: changed, why } of candidates(asked, trying)) {
      const query = encodeQuery(changed);
      if (found.length === MOST || tried.size === MOST_TRIED || trying.left() <= 0) break;
      if (tried.has(query)) continue;
      tried.add(query);
      const total = await totalOf(table, query, trying);
      if (total) found.push(note(`${table.type}?${query} finds ${total}: ${why}.`));
    }
  } catch (error) {
    if (!(error instanceof Abandoned || error instanceof Unavailable)) throw error;
    return { found, complete: false };
  }
  return { found, complete: trying.left() > 0 };
}

/** The total of a candidate; undefined if it is costly to count, or if the parser refuses the candidate. */
async function totalOf({ type }: ParameterTable, query: string, { snapshot, parse, abandoned, left }: Trying) {
  try {
    const { clauses, exactly } = parse(query, { lenient: false });
    if (exactly.length > 0) return undefined;
    const counted = { type, clauses, limit: 0, total: 'unless-costly', within: left() } as const;
    return (await snapshot.search(counted, { abandoned })).total;
  } catch (error) {
    if (error instanceof FhirError || error instanceof TooCostly) return undefined;
    throw error;
  }
}

/** Gives other searches that may find something, the likeliest first. */
async function* candidates(asked: readonly Criterion[], trying: Trying): AsyncGenerator<Candidate> {
  const pairs = asked.map(({ name, value }): Pair => [name, value]);
  for (const [at, criterion] of asked.entries()) {
    const { name, value, parameter, table } = criterion;
    const instead = (...others: Pair[]) => pairs.toSpliced(at, 1, ...others);
    if (!parameter || splitUnescaped(value, ',').length > 1) continue;
    const coded = systemAndCode(value);
    if (coded && (parameter.matching === 'token' || parameter.matching === 'labelled'))
      yield { pairs: instead([name, coded.code]), why: `without the system ${shownName(unescaped(coded.system))}` };
    else if (parameter.matching === 'labelled') yield* labels(name, unescaped(value), instead);
    else if (parameter.matching === 'words') {
      const words = wordsWithoutTitles(parameter, unescaped(value));
      yield* spelled(table, parameter, words, (changed) => instead([name, changed.join(' ')]), trying);
      if (parameter.field === 'name' || parameter.field === 'address') yield* moved(criterion, words, instead);
    }
  }
}

type Instead = (...others: Pair[]) => readonly Pair[];

function* labels(name: string, text: string, instead: Instead): Generator<Candidate> {
  yield { pairs: instead([`${name}:text`, escaped(text)]), why: 'labels that begin so' };
  const word = nearest(text, knownWords());
  const label = word === undefined ? undefined : (labelsMeant(word)[0] ?? word);
  if (label !== undefined) yield { pairs: instead([name, escaped(label)]), why: `the label for ${shownName(text)}` };
}

const escaped = (value: string) => value.replaceAll(/[\\,|$]/g, '\\$&');

/**
 * Gives searches with another spelling of a word. A word is replaced by one that differs in one letter, or split in two, or joined with its
 * neighbour.
 */
async function* spelled(
  { type }: ParameterTable,
  { field }: Parameter,
  words: readonly string[],
  instead: (words: readonly string[]) => readonly Pair[],
  { snapshot, left }: Trying,
): AsyncGenerator<Candidate> {
  const looked = [];
  for (const [at, word] of words.entries()) {
    if (looked.length < MOST_WORDS)
      looked.push({ at, word, ...(await snapshot.spellings(type, { field, word, within: left() })) });
  }
  const unknown = looked.filter(({ known }) => !known);
  const better = unknown.flatMap(({ at, near: [first] }) => (first ? [{ at, first: first.key }] : []));
  if (unknown.length > 1 && better.length === unknown.length)
    yield {
      pairs: instead(words.map((word, at) => better.find((one) => one.at === at)?.first ?? word)),
      why: 'another spelling',
    };
  for (const { at, word, near, apart } of unknown.length > 0 ? unknown : looked) {
    for (const { key: other } of near.slice(0, 2))
      yield { pairs: instead(words.with(at, other)), why: `${other} instead of ${shownName(word)}` };
    for (const two of apart.slice(0, 1))
      yield { pairs: instead(words.toSpliced(at, 1, ...two)), why: `${two.join(' ')} apart` };
  }
  for (let at = 0; at < Math.min(words.length - 1, MOST_WORDS); at++) {
    const both = words.slice(at, at + 2).join('');
    yield { pairs: instead(words.toSpliced(at, 2, both)), why: `${shownName(both)} together` };
  }
}

/**
 * Gives searches in which the last or the first word of a value becomes the value of another parameter. In one search it is a profession or
 * a kind of structure, if the word is a synonym for such a label. In another search it is a town.
 */
function* moved({ table, name, prefix }: Criterion, words: readonly string[], instead: Instead): Generator<Candidate> {
  const labelled = table.parameters.find(({ matching }) => matching === 'labelled')?.name;
  for (const at of new Set([words.length - 1, 0])) {
    const word = words[at];
    if (word === undefined) continue;
    const rest: Pair[] = words.length > 1 ? [[name, words.toSpliced(at, 1).join(' ')]] : [];
    if (labelled !== undefined && labelsMeant(word).length > 0)
      yield { pairs: instead(...rest, [prefix + labelled, word]), why: `${word} as ${labelled}` };
    yield { pairs: instead(...rest, [`${prefix}address-city`, word]), why: `${shownName(word)} as a town` };
  }
}
