// Collects what changed between two snapshots: some resources by id, and the elements in which changed ones differ.

import type { ChangeSamples } from '#search-index/snapshot.ts';

const LISTED = 5;
/** Changed resources looked at one by one; behind them one in 16. */
const FIRST = 4096;
/** Characters of an element that are shown. */
const SHOWN = 100;
/** And of those before where two begin to differ. */
const CONTEXT = 30;

export function createChangeSamples() {
  const samples: ChangeSamples = { added: [], removed: [], changed: [], compared: 0, elements: {} };
  let changed = 0;
  return {
    samples,
    added(id: string): void {
      samples.added.push(id);
    },
    /** Whether the id of another added resource is wanted. */
    wantsAdded: (): boolean => samples.added.length < LISTED,
    removed(id: string): void {
      if (samples.removed.length < LISTED) samples.removed.push(id);
    },
    /** Whether the next changed resource is to be looked at. */
    wantsChanged: (): boolean => ++changed <= FIRST || changed % 16 === 0,
    /** @param before and `now`: the texts as they are stored, without the beginning that the reader puts before them */
    changed(id: string, before: string, now: string): void {
      const [one, other] = [before, now].map((text): Record<string, unknown> => JSON.parse(`{"id":0${text}`));
      const elements = differing(one ?? {}, other ?? {});
      samples.compared++;
      for (const element of elements) samples.elements[element] = (samples.elements[element] ?? 0) + 1;
      const [first] = elements;
      if (samples.changed.length === LISTED || first === undefined) return;
      samples.changed.push({ id, elements, ...difference(one?.[first], other?.[first]) });
    },
  };
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  );
}

/** Both values as JSON, cut to the part in which they differ and a little around it. */
function difference(one: unknown, other: unknown): { from: string; to: string } {
  const [from, to] = [JSON.stringify(one) ?? '', JSON.stringify(other) ?? ''];
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  let alike = 0;
  while (alike < Math.min(from.length, to.length) - same && from.at(-1 - alike) === to.at(-1 - alike)) alike++;
  const start = Math.max(0, same - CONTEXT);
  const shown = (text: string) => {
    const end = Math.min(start + SHOWN, text.length - alike + CONTEXT);
    return `${start > 0 ? '...' : ''}${text.slice(start, end)}${end < text.length ? '...' : ''}`;
  };
  return { from: shown(from), to: shown(to) };
}
