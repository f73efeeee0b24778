// Removes words from the spellings of a snapshot if only hidden resources have them, so that suggestions do not reveal them.

import { byFrequency, type QueryWord, type ResourceType, type Snapshot, type Spellings } from '#search-index/index.ts';
import type { Affected } from './affected.ts';
import type { SearchedResource } from './matches.ts';

/** The spellings that the snapshot would have if its file held only what is served. */
export async function servedSpellings(
  served: Pick<Snapshot, 'search'>,
  type: ResourceType,
  { field, word, within }: Parameters<Snapshot['spellings']>[1],
  { known, near, apart }: Spellings,
  affected: ReadonlyMap<string, Affected>,
): Promise<Spellings> {
  const hidden = hiddenWords([...affected.values()], field);
  const isServed = async (wanted: QueryWord) => {
    const clauses = [{ field, match: 'words', anyOf: [[wanted]] }] as const;
    return (await served.search({ type, clauses, limit: 1, total: false, within })).matches.length > 0;
  };
  const begins = async (prefix: string) =>
    !hidden.keys().some((one) => one.startsWith(prefix)) || isServed({ prefix, whole: [] });
  const isThere = async (one: string) => !hidden.has(one) || isServed({ whole: [one] });
  const left: [string, string][] = [];
  for (const pair of apart) if ((await isThere(pair[0])) && (await begins(pair[1]))) left.push(pair);
  return {
    known: known && (await begins(word)),
    near: byFrequency(
      near.flatMap(({ key, count }) => {
        const others = count - (hidden.get(key) ?? 0);
        return others > 0 ? [{ key, count: others }] : [];
      }),
    ),
    apart: left,
  };
}

/** The number of resources that have each word in the file but not as they are served. */
function hiddenWords(affected: readonly Affected[], field: string): ReadonlyMap<string, number> {
  const wordsOf = (one: SearchedResource | undefined) =>
    new Set((one?.fields.get(field) ?? []).flatMap(([, words]) => words));
  const counts = new Map<string, number>();
  for (const { before, after } of affected) {
    const left = wordsOf(after);
    for (const word of wordsOf(before)) if (!left.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
