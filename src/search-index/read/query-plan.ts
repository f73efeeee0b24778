// Owns how the criteria of a search become posting lists, what is known of them beforehand, and which members of one chunk
// fulfil them all. Does not own the order in which chunks are visited (`sqlite-search.ts`), the lists
// (`sqlite-terms.ts`) or the sets (`place-sets.ts`).

import type { FieldKind } from '../file-layout.ts';
import type { Clause, QueryWord } from '../snapshot.ts';
import { complement, intersect, isEmpty, type Members, ownersOf, reuseBitmaps, unite } from './doc-id-bitmap.ts';
import type { OpenField, PostingList, Terms } from './term-dictionary.ts';
import type { Turns } from './yield-event-loop.ts';

/** Which resources have anything in a field. */
export interface FieldOwners {
  total: number;
  /** By chunk. */
  chunks: readonly Members[];
}

/** What the search needs to know of one resource type of an open snapshot. */
export interface SearchSpace {
  /** First position of each chunk, and the number of resources as the last entry. */
  chunkStarts: Uint32Array;
  fieldOf(name: string): OpenField;
  /** Owners of the items of a chunk that are not the first of their resource; absent where there are none. */
  itemOwners(field: OpenField, chunk: number): Uint16Array | undefined;
  terms: Terms;
  /** Which resources have anything in the field. */
  ownersOf(field: OpenField, turns: Turns): Promise<FieldOwners>;
}

const MATCHES_OF: Record<FieldKind, readonly Clause['match'][]> = {
  words: ['words', 'present'],
  vocabulary: ['exact', 'beginning', 'present'],
  fingerprint: ['exact', 'present'],
  instant: ['range', 'present'],
};

/** Lists of which any may hold the item. */
interface AnyOf {
  lists: readonly PostingList[];
  /** At least as many as there can be matches. */
  owners: number;
  /** 1 for each chunk where there may be a match. */
  chunks: Uint8Array;
}

/** Sets of lists of which each must hold the same item of the field; the rarest first. */
interface AllOf {
  field: OpenField;
  parts: readonly AnyOf[];
  owners: number;
  chunks: Uint8Array;
}

/** One criterion, ready to be evaluated chunk by chunk. */
export interface ClausePlan {
  alternatives: readonly AllOf[];
  /** Stands for the alternatives: the owners in each chunk. */
  given?: readonly Members[];
  /** Meant is what does not match. */
  not: boolean;
  owners: number;
  /** The exact number of matches, where it is known. */
  total?: number;
  chunks: Uint8Array;
}

/** A search with what is known of it. */
export interface Walk {
  space: SearchSpace;
  plans: readonly ClausePlan[];
  limit: number;
  /** Whether to go against the rising order. */
  down: boolean;
  /** Position that the walk begins behind, in its own direction. */
  from: number | undefined;
  /** Whether every match is counted. */
  counting: boolean;
  turns: Turns;
}

/** The plans of all clauses, the rarest first. Throws for a field that is not indexed, or not in this way. */
export async function planClauses(space: SearchSpace, clauses: readonly Clause[], turns: Turns): Promise<ClausePlan[]> {
  const plans: ClausePlan[] = [];
  for (const clause of clauses) plans.push(await planClause(space, clause, turns));
  return plans.length < 2 ? plans : plans.sort((a, b) => a.owners - b.owners);
}

/** Parts of lists that an evaluation of every chunk reads. */
export function partsOf(plans: readonly ClausePlan[]): number {
  let parts = 0;
  for (const { alternatives } of plans) {
    for (const alternative of alternatives) {
      const lists = alternative.parts.reduce((sum, part) => sum + part.lists.length, 0);
      for (const marked of alternative.chunks) parts += marked * lists;
    }
  }
  return parts;
}

/** The total where it needs no evaluation; `all` is the number of resources. */
export function knownTotal(plans: readonly ClausePlan[], all: number): number | undefined {
  const [plan] = plans;
  if (plan === undefined) return all;
  if (plan.owners === 0) return 0;
  return plans.length === 1 ? plan.total : undefined;
}

async function planClause(space: SearchSpace, clause: Clause, turns: Turns): Promise<ClausePlan> {
  const chunkCount = Math.max(0, space.chunkStarts.length - 1);
  const field = space.fieldOf(clause.field);
  if (!MATCHES_OF[field.kind].includes(clause.match)) {
    throw new Error(`the field ${clause.field} is not indexed for matching by ${clause.match}`);
  }
  if (clause.match === 'present') return planPresence(space, field, clause.present, turns);
  const alternatives: AllOf[] = [];
  for (const plan of planAlternatives(space, field, clause, chunkCount)) {
    alternatives.push(plan());
    if (turns.over()) await turns.next();
  }
  const found = united(alternatives, chunkCount);
  return clause.match === 'exact' && clause.not ? negated(found, space.chunkStarts) : found;
}

function united(alternatives: readonly AllOf[], chunkCount: number): ClausePlan {
  const [first] = alternatives;
  if (first !== undefined && alternatives.length === 1) {
    const { owners, chunks, parts } = first;
    const plan: ClausePlan = { alternatives, not: false, owners, chunks };
    if (owners === 0 || (parts.length === 1 && parts[0]?.lists.length === 1)) plan.total = owners;
    return plan;
  }
  const chunks = new Uint8Array(chunkCount);
  for (const { chunks: some } of alternatives)
    for (let at = 0; at < chunkCount; at++) chunks[at] ||= some[at] as number;
  return { alternatives, not: false, owners: alternatives.reduce((sum, { owners }) => sum + owners, 0), chunks };
}

function negated({ total, ...plan }: ClausePlan, chunkStarts: Uint32Array): ClausePlan {
  const all = chunkStarts.at(-1) ?? 0;
  const chunks = new Uint8Array(plan.chunks.length).fill(1);
  // Lists that overlap count some twice: only a known total says how many are left.
  return { ...plan, not: true, chunks, owners: all - (total ?? 0), ...(total !== undefined && { total: all - total }) };
}

async function planPresence(space: SearchSpace, field: OpenField, present: boolean, turns: Turns): Promise<ClausePlan> {
  const { total, chunks } = await space.ownersOf(field, turns);
  const plan: ClausePlan = {
    alternatives: [],
    given: chunks,
    not: false,
    owners: total,
    total,
    chunks: new Uint8Array(chunks.length).fill(1),
  };
  return present ? plan : negated(plan, space.chunkStarts);
}

type ListClause = Exclude<Clause, { match: 'present' }>;

/** One step for each alternative. */
function planAlternatives(
  space: SearchSpace,
  field: OpenField,
  clause: ListClause,
  chunkCount: number,
): (() => AllOf)[] {
  const { terms } = space;
  switch (clause.match) {
    case 'words':
      return clause.anyOf.map((words) => () => planWords(space, field, words, chunkCount));
    case 'exact':
      return clause.anyOf.map((key) => () => allOf(field, [anyOf(terms.ofKey(field, key, clause.not), chunkCount)]));
    case 'beginning':
      return clause.anyOf.map((start) => () => allOf(field, [anyOf(terms.ofBeginning(field, start), chunkCount)]));
    case 'range':
      return [() => allOf(field, [anyOf([terms.ofRanges(field, clause.anyOf)], chunkCount)])];
  }
}

function planWords(space: SearchSpace, field: OpenField, words: readonly QueryWord[], chunkCount: number): AllOf {
  if (words.length === 0) throw new Error(`a value of the field ${field.name} has no word to look for`);
  const parts = words.map((word) => anyOf(space.terms.ofWord(field, word), chunkCount));
  return allOf(
    field,
    parts.sort((a, b) => a.owners - b.owners),
  );
}

function anyOf(lists: readonly PostingList[], chunkCount: number): AnyOf {
  const chunks = new Uint8Array(chunkCount);
  let owners = 0;
  for (const list of lists) {
    owners += list.owners;
    for (let index = 0; index < list.chunks.length; index++) chunks[list.chunks[index] as number] = 1;
  }
  return { lists, owners, chunks };
}

function allOf(field: OpenField, parts: readonly AnyOf[]): AllOf {
  const { owners, chunks: first } = parts[0] as AnyOf;
  if (parts.length === 1) return { field, parts, owners, chunks: first };
  const chunks = first.slice();
  for (const part of parts) for (let at = 0; at < chunks.length; at++) chunks[at] &&= part.chunks[at] as number;
  return { field, parts, owners, chunks };
}

/**
 * The members of a chunk that fulfil all plans, of which there is one at least; nothing when there are none. The set is
 * lent until the next evaluation.
 */
export function evaluate(space: SearchSpace, plans: readonly ClausePlan[], chunk: number): Members | undefined {
  reuseBitmaps();
  const size = (space.chunkStarts[chunk + 1] as number) - (space.chunkStarts[chunk] as number);
  let result: Members | undefined;
  for (const plan of plans) {
    const found = ownersIn(space, plan, chunk, size);
    const meant = plan.not ? complement(size, found) : found;
    if (meant === undefined) return undefined;
    result = result === undefined ? meant : intersect(result, meant);
    if (isEmpty(result)) return undefined;
  }
  return result;
}

function ownersIn(space: SearchSpace, plan: ClausePlan, chunk: number, size: number): Members | undefined {
  if (plan.given) return plan.given[chunk];
  const sets: Members[] = [];
  for (const alternative of plan.alternatives) {
    if (!alternative.chunks[chunk]) continue;
    const items = itemsOf(alternative, chunk);
    if (items) sets.push(ownersOf(items, size, space.itemOwners(alternative.field, chunk)));
  }
  return sets.length === 0 ? undefined : unite(sets);
}

function itemsOf(alternative: AllOf, chunk: number): Members | undefined {
  let result: Members | undefined;
  for (const { lists } of alternative.parts) {
    const sets: Members[] = [];
    for (const list of lists) {
      const part = list.part(chunk);
      if (part) sets.push(part);
    }
    const items = unite(sets);
    result = result === undefined ? items : intersect(result, items);
    if (isEmpty(result)) return undefined;
  }
  return result;
}
