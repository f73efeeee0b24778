// Owns how a search query is answered from posting lists: chunk by chunk in alphabetical order, no further than asked.
// Does not own the lists (`sqlite-terms.ts`), the sets (`place-sets.ts`) or the resources (`sqlite-reader.ts`).

import { setImmediate as laterTurn } from 'node:timers/promises';
import { intersect, isEmpty, type Members, ownersOf, reuseBitmaps, sizeOf, take, unite } from './place-sets.ts';
import type { Clause, QueryWord, SearchQuery } from './snapshot.ts';
import type { FieldKind } from './sqlite-layout.ts';
import type { OpenField, PostingList, Terms } from './sqlite-terms.ts';

/** What the search needs to know of one resource type of an open snapshot. */
export interface SearchSpace {
  /** First position of each chunk, and the number of resources as the last entry. */
  chunkStarts: Uint32Array;
  fieldOf(name: string): OpenField;
  /** Owners of the items of a chunk that are not the first of their resource; absent where there are none. */
  itemOwners(field: OpenField, chunk: number): Uint16Array | undefined;
  terms: Terms;
}

export interface FoundPositions {
  /** Rising. */
  positions: number[];
  total?: number;
}

/** After so many milliseconds a search lets others have a turn. */
const TURN = 8;

/** Parts of lists that are read for a total that nobody insisted on: some five milliseconds' work. */
const PARTS_FOR_TOTAL = 1000;

const MATCH_OF: Record<FieldKind, Clause['match']> = {
  words: 'words',
  vocabulary: 'exact',
  fingerprint: 'exact',
  instant: 'range',
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

interface ClausePlan {
  alternatives: readonly AllOf[];
  owners: number;
  chunks: Uint8Array;
}

/**
 * Finds up to `limit` positions behind `after`, and the exact number of all matches as `total` says.
 * Throws for a field that is not indexed, or not in this way.
 */
export async function findPositions(
  space: SearchSpace,
  query: Pick<SearchQuery, 'clauses' | 'limit' | 'after' | 'total'>,
): Promise<FoundPositions> {
  const { chunkStarts } = space;
  const chunkCount = Math.max(0, chunkStarts.length - 1);
  const from = (query.after ?? -1) + 1;
  const turns = takeTurns();
  const plans: ClausePlan[] = [];
  for (const clause of query.clauses) plans.push(await planClause(space, clause, chunkCount, turns));
  plans.sort((a, b) => a.owners - b.owners);
  const known = query.total === false ? undefined : knownTotal(plans, chunkStarts.at(-1) ?? 0);
  const counting =
    known === undefined && (query.total === true || (query.total !== false && partsOf(plans) <= PARTS_FOR_TOTAL));

  const positions: number[] = [];
  let total = 0;
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const start = chunkStarts[chunk] as number;
    const end = chunkStarts[chunk + 1] as number;
    const wanted = positions.length < query.limit && end > from;
    if (!wanted && !counting) {
      if (positions.length >= query.limit) break;
      continue;
    }
    if (plans.length === 0) {
      for (let at = Math.max(start, from); at < end && positions.length < query.limit; at++) positions.push(at);
      continue;
    }
    if (!plans.every((plan) => plan.chunks[chunk])) continue;
    const members = evaluate(space, plans, chunk);
    if (members === undefined) continue;
    if (counting) total += sizeOf(members);
    if (wanted) {
      const taken = take(members, Math.max(0, from - start), query.limit - positions.length);
      for (const member of taken) positions.push(start + member);
    }
    if (turns.over()) await turns.next();
  }
  const counted = known ?? (counting ? total : undefined);
  return counted === undefined ? { positions } : { positions, total: counted };
}

type Turns = ReturnType<typeof takeTurns>;

/** Lets others have a turn in the event loop when this search has had its own. */
function takeTurns() {
  let end = performance.now() + TURN;
  return {
    over: () => performance.now() > end,
    async next() {
      await laterTurn();
      end = performance.now() + TURN;
    },
  };
}

/** Parts of lists that an evaluation of every chunk reads. */
function partsOf(plans: readonly ClausePlan[]): number {
  let parts = 0;
  for (const { alternatives } of plans) {
    for (const alternative of alternatives) {
      const lists = alternative.parts.reduce((sum, part) => sum + part.lists.length, 0);
      for (const marked of alternative.chunks) parts += marked * lists;
    }
  }
  return parts;
}

/** The total where it needs no evaluation: no clause at all, or a single list. */
function knownTotal(plans: readonly ClausePlan[], all: number): number | undefined {
  const [plan] = plans;
  if (plan === undefined) return all;
  if (plan.owners === 0) return 0;
  const [alternative] = plan.alternatives;
  if (plans.length > 1 || plan.alternatives.length > 1 || !alternative || alternative.parts.length > 1)
    return undefined;
  return alternative.parts[0]?.lists.length === 1 ? alternative.owners : undefined;
}

async function planClause(space: SearchSpace, clause: Clause, chunkCount: number, turns: Turns): Promise<ClausePlan> {
  const field = space.fieldOf(clause.field);
  if (clause.match !== MATCH_OF[field.kind]) {
    throw new Error(`the field ${clause.field} is not indexed for matching by ${clause.match}`);
  }
  const alternatives: AllOf[] = [];
  for (const plan of planAlternatives(space, field, clause, chunkCount)) {
    alternatives.push(plan());
    if (turns.over()) await turns.next();
  }
  const [first] = alternatives;
  if (first !== undefined && alternatives.length === 1)
    return { alternatives, owners: first.owners, chunks: first.chunks };
  const chunks = new Uint8Array(chunkCount);
  for (const { chunks: some } of alternatives)
    for (let at = 0; at < chunkCount; at++) chunks[at] ||= some[at] as number;
  return { alternatives, owners: alternatives.reduce((sum, { owners }) => sum + owners, 0), chunks };
}

/** One step for each alternative. */
function planAlternatives(space: SearchSpace, field: OpenField, clause: Clause, chunkCount: number): (() => AllOf)[] {
  switch (clause.match) {
    case 'words':
      return clause.anyOf.map((words) => () => planWords(space, field, words, chunkCount));
    case 'exact':
      return clause.anyOf.map((key) => () => allOf(field, [anyOf(space.terms.ofKey(field, key), chunkCount)]));
    case 'range':
      return [() => allOf(field, [anyOf([space.terms.ofRanges(field, clause.anyOf)], chunkCount)])];
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

function evaluate(space: SearchSpace, plans: readonly ClausePlan[], chunk: number): Members | undefined {
  reuseBitmaps();
  const size = (space.chunkStarts[chunk + 1] as number) - (space.chunkStarts[chunk] as number);
  let result: Members | undefined;
  for (const plan of plans) {
    const sets: Members[] = [];
    for (const alternative of plan.alternatives) {
      if (!alternative.chunks[chunk]) continue;
      const items = itemsOf(alternative, chunk);
      if (items) sets.push(ownersOf(items, size, space.itemOwners(alternative.field, chunk)));
    }
    if (sets.length === 0) return undefined;
    const owners = unite(sets);
    result = result === undefined ? owners : intersect(result, owners);
    if (isEmpty(result)) return undefined;
  }
  return result;
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
