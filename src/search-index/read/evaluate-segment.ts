// Evaluates a planned query in one segment. An item is one text of a field, for example one of the addresses of a person. All words of a
// query's value must be in the same item (the one-address rule). So the words are looked up among the items first, and then the items are
// converted to their resources.

import { complement, type DocIdSet, intersect, isEmpty, parentsOf, unite } from './doc-id-bitmap.ts';
import type { ClausePlan, Conjunction, SearchSpace } from './query-plan.ts';

/**
 * Returns the members of a segment that match all plans; undefined if no member does. There must be at least one plan. The set is only
 * valid until the next evaluation, which may overwrite its bitmap (`BitmapPool`).
 */
export function evaluateSegment(
  space: SearchSpace,
  plans: readonly ClausePlan[],
  segment: number,
): DocIdSet | undefined {
  // Planning has already found segments in which a clause cannot match.
  if (!plans.every((plan) => plan.segments[segment])) return undefined;
  const { bitmaps } = space;
  bitmaps.reuse();
  const size = (space.segmentStarts[segment + 1] as number) - (space.segmentStarts[segment] as number);
  let result: DocIdSet | undefined;
  for (const plan of plans) {
    const found = docsIn(space, plan, segment, size);
    const meant = plan.not ? complement(bitmaps, size, found) : found;
    if (meant === undefined) return undefined;
    result = result === undefined ? meant : intersect(bitmaps, result, meant);
    if (isEmpty(result)) return undefined;
  }
  return result;
}

function docsIn(space: SearchSpace, plan: ClausePlan, segment: number, size: number): DocIdSet | undefined {
  if (plan.given) return plan.given[segment];
  const sets: DocIdSet[] = [];
  for (const alternative of plan.alternatives) {
    if (!alternative.segments[segment]) continue;
    const items = itemsOf(space, alternative, segment);
    if (items) sets.push(parentsOf(space.bitmaps, items, size, space.itemParents(alternative.field, segment)));
  }
  return sets.length === 0 ? undefined : unite(space.bitmaps, sets);
}

function itemsOf({ bitmaps }: SearchSpace, alternative: Conjunction, segment: number): DocIdSet | undefined {
  let result: DocIdSet | undefined;
  for (const { lists } of alternative.parts) {
    const sets: DocIdSet[] = [];
    for (const list of lists) {
      const part = list.part(segment);
      if (part) sets.push(part);
    }
    const items = unite(bitmaps, sets);
    result = result === undefined ? items : intersect(bitmaps, result, items);
    if (isEmpty(result)) return undefined;
  }
  return result;
}
