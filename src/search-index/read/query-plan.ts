// Plans a query: turns its clauses into conjunctions and disjunctions of posting lists.

import type { FieldKind } from '#search-index/file-layout.ts';
import type { Circle } from '#search-index/positions.ts';
import {
  type ChainedClause,
  type Clause,
  type FieldClause,
  isChained,
  type QueryWord,
} from '#search-index/snapshot.ts';
import { type BitmapPool, type DocIdSet, sizeOf } from './doc-id-bitmap.ts';
import { createCircleScan, membersWithin, type PositionsOf } from './position-index.ts';
import type { OpenField, PostingList, TermDictionary } from './term-dictionary.ts';
import type { Yielder } from './yield-event-loop.ts';

/**
 * A set of resources. It remains valid after the evaluation that found it, because it has no bitmap that a later evaluation overwrites
 * (`BitmapPool`).
 */
export interface ResourceSet {
  total: number;
  /** The members of each segment. */
  segments: readonly DocIdSet[];
}

export function resourceSet(segments: readonly DocIdSet[]): ResourceSet {
  return { total: segments.reduce((sum, members) => sum + sizeOf(members), 0), segments };
}

/** Finds resources in one segment after another. Between two segments, other searches can run. */
export async function everySegment(
  { segmentStarts }: Pick<SearchSpace, 'segmentStarts'>,
  yielder: Yielder,
  membersOf: (segment: number) => DocIdSet,
): Promise<ResourceSet> {
  const segments: DocIdSet[] = [];
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    segments.push(membersOf(segment));
    if (yielder.due()) await yielder.yield();
  }
  return resourceSet(segments);
}

/** One resource type of an open snapshot, with the data that a search needs. */
export interface SearchSpace {
  /** The first position of each segment. One more entry at the end has the number of resources. */
  segmentStarts: Uint32Array;
  fieldOf(name: string): OpenField;
  /**
   * Returns the resource of each item of a segment, in the order of the items' doc ids. The first item of each resource is left out,
   * because it has the doc id of its resource. Returns undefined if the segment has no other items.
   */
  itemParents(field: OpenField, segment: number): Uint16Array | undefined;
  terms: TermDictionary;
  bitmaps: BitmapPool;
  positionsOf: PositionsOf;
  /** Finds the resources that have at least one value in the field. */
  fieldExists(field: OpenField): Promise<ResourceSet>;
  /** Finds the resources that match a criterion on linked resources. */
  chained(clause: ChainedClause, yielder: Yielder): Promise<ResourceSet>;
}

const MATCHES_OF: Record<FieldKind, readonly Clause['match'][]> = {
  words: ['words', 'present'],
  keyword: ['exact', 'beginning', 'present'],
  hash: ['exact', 'present'],
  instant: ['range', 'present'],
  position: ['near', 'present'],
};

/** Alternative posting lists. An item matches if at least one of the lists has it. */
interface Disjunction {
  lists: readonly PostingList[];
  /** An upper bound of the number of matches. */
  cost: number;
  /** 1 for each segment that may have a match, 0 for the others. */
  segments: Uint8Array;
}

/** Several disjunctions. An item of the field matches if it matches all of them. The disjunction with the fewest matches comes first. */
export interface Conjunction {
  field: OpenField;
  parts: readonly Disjunction[];
  cost: number;
  segments: Uint8Array;
}

/** The plan of one clause. It is evaluated segment by segment. A resource matches if one of its items matches one of the alternatives. */
export interface ClausePlan {
  alternatives: readonly Conjunction[];
  /** The matches of each segment, if planning has already found them. `alternatives` is empty then. */
  given?: readonly DocIdSet[];
  /** True if the clause finds all resources except those that match the alternatives or are in `given`. */
  not: boolean;
  cost: number;
  /** The exact number of matches; undefined if it is not known. */
  total?: number;
  segments: Uint8Array;
}

/** A planned query, with the limits of its page. */
export interface PlannedQuery {
  space: SearchSpace;
  plans: readonly ClausePlan[];
  limit: number;
  /** True if the evaluation goes through the resources in descending order. */
  down: boolean;
  /**
   * The evaluation begins after this position, in the direction that `down` says; undefined if it begins with the first resource in this
   * direction.
   */
  from: number | undefined;
  /** True if all matches must be counted, and not only those of the page. */
  counting: boolean;
  yielder: Yielder;
}

/**
 * Plans all clauses, and sorts the plans so that the plan with the fewest matches comes first. Throws if a clause matches a field in a way
 * for which the field is not indexed.
 */
export async function planClauses(
  space: SearchSpace,
  clauses: readonly Clause[],
  yielder: Yielder,
): Promise<ClausePlan[]> {
  const plans: ClausePlan[] = [];
  // Chains cost most, so they are planned last. If another clause finds nothing, the chains are not evaluated at all.
  const [chains, others] = [clauses.filter(isChained), clauses.filter((clause) => !isChained(clause))];
  for (const clause of others) plans.push(await planClause(space, clause, yielder));
  for (const clause of chains)
    if (plans.every(({ cost }) => cost > 0)) plans.push(planGiven(await space.chained(clause, yielder)));
  return plans.length < 2 ? plans : plans.sort((a, b) => a.cost - b.cost);
}

/** Number of parts of posting lists that must be read to evaluate the plans in all segments. */
export function partsOf(plans: readonly ClausePlan[]): number {
  let parts = 0;
  for (const { alternatives } of plans) {
    for (const alternative of alternatives) {
      const lists = alternative.parts.reduce((sum, part) => sum + part.lists.length, 0);
      for (const marked of alternative.segments) parts += marked * lists;
    }
  }
  return parts;
}

/** Returns the total of a query if it is known without an evaluation; otherwise undefined. `all` is the number of resources of the type. */
export function knownTotal(plans: readonly ClausePlan[], all: number): number | undefined {
  const [plan] = plans;
  if (plan === undefined) return all;
  if (plan.cost === 0) return 0;
  return plans.length === 1 ? plan.total : undefined;
}

async function planClause(space: SearchSpace, clause: FieldClause, yielder: Yielder): Promise<ClausePlan> {
  const segmentCount = Math.max(0, space.segmentStarts.length - 1);
  const field = space.fieldOf(clause.field);
  if (!MATCHES_OF[field.kind].includes(clause.match)) {
    throw new Error(`the field ${clause.field} is not indexed for matching by ${clause.match}`);
  }
  if (clause.match === 'present') {
    const plan = planGiven(await space.fieldExists(field));
    return clause.present ? plan : negated(plan, space.segmentStarts);
  }
  if (clause.match === 'near') return planGiven(await withinCircles(space, field, yielder, clause.anyOf));
  const alternatives: Conjunction[] = [];
  for (const plan of planAlternatives(space, field, clause, segmentCount)) {
    alternatives.push(plan());
    if (yielder.due()) await yielder.yield();
  }
  const found = united(alternatives, segmentCount);
  return clause.match === 'exact' && clause.not ? negated(found, space.segmentStarts) : found;
}

function united(alternatives: readonly Conjunction[], segmentCount: number): ClausePlan {
  const [first] = alternatives;
  if (first !== undefined && alternatives.length === 1) {
    const { cost, segments, parts } = first;
    const plan: ClausePlan = { alternatives, not: false, cost, segments };
    if (cost === 0 || (parts.length === 1 && parts[0]?.lists.length === 1)) plan.total = cost;
    return plan;
  }
  const segments = new Uint8Array(segmentCount);
  for (const { segments: some } of alternatives)
    for (let at = 0; at < segmentCount; at++) segments[at] ||= some[at] as number;
  return { alternatives, not: false, cost: alternatives.reduce((sum, { cost }) => sum + cost, 0), segments };
}

function negated({ total, ...plan }: ClausePlan, segmentStarts: Uint32Array): ClausePlan {
  const all = segmentStarts.at(-1) ?? 0;
  const segments = new Uint8Array(plan.segments.length).fill(1);
  // Without an exact total, `cost` may count a resource several times, because several lists have it. So the number of the resources that
  // do not match is unknown, and `all` is its upper bound.
  return { ...plan, not: true, segments, cost: all - (total ?? 0), ...(total !== undefined && { total: all - total }) };
}

function planGiven({ total, segments: given }: ResourceSet): ClausePlan {
  const segments = Uint8Array.from(given, (members) => (members.length > 0 ? 1 : 0));
  return { alternatives: [], given, not: false, cost: total, total, segments };
}

/** Finds the resources that have a position in any of the circles. If no circles are given, finds all resources that have a position. */
export function withinCircles(
  space: Pick<SearchSpace, 'segmentStarts' | 'positionsOf'>,
  { number }: OpenField,
  yielder: Yielder,
  circles?: readonly Circle[],
): Promise<ResourceSet> {
  const scan = createCircleScan();
  return everySegment(space, yielder, (segment) => membersWithin(space.positionsOf(number, segment), scan, circles));
}

type ListClause = Exclude<FieldClause, { match: 'present' | 'near' }>;

/**
 * Returns one function for each alternative of the clause. Each function plans its alternative. Other searches can run between the calls of
 * two such functions.
 */
function planAlternatives(
  space: SearchSpace,
  field: OpenField,
  clause: ListClause,
  segmentCount: number,
): (() => Conjunction)[] {
  const { terms } = space;
  switch (clause.match) {
    case 'words':
      return clause.anyOf.map((words) => () => planWords(space, field, words, segmentCount));
    case 'exact':
      return clause.anyOf.map(
        (key) => () => conjunction(field, [disjunction(terms.ofKey(field, key, clause.not), segmentCount)]),
      );
    case 'beginning':
      return [
        ...clause.anyOf.map((start) => () => terms.ofBeginning(field, start)),
        ...(clause.whole ?? []).map((key) => () => terms.ofKey(field, key)),
      ].map((lists) => () => conjunction(field, [disjunction(lists(), segmentCount)]));
    case 'range':
      return [() => conjunction(field, [disjunction([terms.ofRanges(field, clause.anyOf)], segmentCount)])];
  }
}

function planWords(
  space: SearchSpace,
  field: OpenField,
  words: readonly QueryWord[],
  segmentCount: number,
): Conjunction {
  if (words.length === 0) throw new Error(`a value of the field ${field.name} has no word to look for`);
  const parts = words.map((word) => disjunction(space.terms.ofWord(field, word), segmentCount));
  parts.sort((a, b) => a.cost - b.cost);
  return conjunction(field, parts);
}

function disjunction(lists: readonly PostingList[], segmentCount: number): Disjunction {
  const segments = new Uint8Array(segmentCount);
  let cost = 0;
  for (const list of lists) {
    cost += list.docFreq;
    for (let index = 0; index < list.segments.length; index++) segments[list.segments[index] as number] = 1;
  }
  return { lists, cost, segments };
}

function conjunction(field: OpenField, parts: readonly Disjunction[]): Conjunction {
  const { cost, segments: first } = parts[0] as Disjunction;
  if (parts.length === 1) return { field, parts, cost, segments: first };
  const segments = first.slice();
  for (const part of parts) for (let at = 0; at < segments.length; at++) segments[at] &&= part.segments[at] as number;
  return { field, parts, cost, segments };
}
