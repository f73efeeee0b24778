// The rule of the orders by a field, as a comparison of plain objects.

import type { IndexedResource } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';

type Index = IndexedResource['index'];

/**
 * Compares two resources of a type in the order of a field: texts by the first eight words of the first item that has any, references by the
 * position of what they lead to. Resources without a value come last. Ties are 0.
 */
export function compareByField(field: string, positionOf: (reference: string) => number | undefined) {
  const isReference = field === 'practitioner' || field === 'organization';
  const valueIn = (index: Index): readonly (string | number)[] | undefined => {
    const items = index[field] ?? [];
    if (!isReference) return items.map((item) => tokenize(item).slice(0, 8)).find((words) => words.length > 0);
    const positions = items.map(positionOf).filter((position) => position !== undefined);
    return positions.length > 0 ? positions : undefined;
  };
  return (one: Index, other: Index): number => {
    const [a, b] = [valueIn(one), valueIn(other)];
    if (!a || !b) return Number(!a) - Number(!b);
    for (let at = 0; at < Math.max(a.length, b.length); at++) {
      const [left, right] = [a[at] ?? '', b[at] ?? ''];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}
