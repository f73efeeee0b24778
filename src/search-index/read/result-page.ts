// Makes one page of search results. It reads the resources at the positions that `evaluate-query.ts` finds. If the index may have found too
// many resources, it also rechecks them.

import { TooCostly } from '#search-index/search-errors.ts';
import type { SearchOptions, SearchPage, SearchQuery, StoredResource } from '#search-index/snapshot.ts';
import { type EvaluatedQuery, evaluateQuery, type OrderedSpace } from './evaluate-query.ts';
import { createYielder } from './yield-event-loop.ts';

/** Maximum number of resources that one search reads to decide whether they match. */
export const MOST_READ = 20_000;
/**
 * Maximum number of resources that are read to count the total, if the query asks for the total with `unless-costly`. If counting needs
 * more, the total is left out.
 */
const READ_FOR_TOTAL = 1000;
/**
 * Number of resources in the first batch, and the factor by which each batch is larger than the one before. Each batch evaluates the query
 * again, from where the batch before ended. Batches grow, so that a search needs only a few of them.
 */
const [BATCH, GROWTH] = [200, 4];

interface PageSource extends SearchOptions {
  space: OrderedSpace;
  read(position: number): StoredResource;
  /** Checks whether a resource that was found by hashes really has the keys. */
  hasKeys(resource: StoredResource): boolean;
  /** Checks whether a resource holds, letter for letter, the texts that the query asks for. */
  hasTexts(resource: StoredResource): boolean;
}

/** Makes one page. Throws `TooCostly` if more than MOST_READ resources would have to be read for it. */
export function searchPage(source: PageSource, query: SearchQuery): Promise<SearchPage> {
  return query.exactly ? exactPage(source, query) : plainPage(source, query);
}

async function plainPage(source: PageSource, query: SearchQuery): Promise<SearchPage> {
  const { space, read, hasKeys } = source;
  const { positions, total } = await evaluateQuery(space, { ...query, limit: query.limit + 1 }, source);
  const page = positions.slice(0, query.limit);
  const matches = page.map(read).filter(hasKeys);
  if (query.before !== undefined) matches.reverse();
  const more = positions.length > page.length;
  return total === undefined ? { matches, more } : { matches, more, total: total - page.length + matches.length };
}

async function exactPage(source: PageSource, query: SearchQuery): Promise<SearchPage> {
  const { limit, after, before } = query;
  const matches: StoredResource[] = [];
  for await (const resource of candidates(source, query)) {
    if (source.hasTexts(resource)) matches.push(resource);
    if (matches.length > limit) break;
  }
  const more = matches.length > limit;
  const whole = !more && after === undefined && before === undefined;
  const total = whole ? matches.length : await exactTotal(source, query);
  const page = matches.slice(0, limit);
  if (before !== undefined) page.reverse();
  return total === undefined || query.total === false ? { matches: page, more } : { matches: page, more, total };
}

async function exactTotal(source: PageSource, { clauses, total }: SearchQuery): Promise<number | undefined> {
  if (total === false) return undefined;
  const found = await evaluateQuery(source.space, { clauses, limit: 0, total }, source);
  if (found.total === undefined) return undefined;
  if (total !== true && found.total > READ_FOR_TOTAL) return undefined;
  let held = 0;
  for await (const resource of candidates(source, { clauses })) if (source.hasTexts(resource)) held++;
  return held;
}

/** Yields the resources that the clauses find, one by one: forwards from `after`, or backwards from `before`. */
async function* candidates(
  source: PageSource,
  { after, before, instant, valueless, ...query }: Omit<EvaluatedQuery, 'limit' | 'total'>,
): AsyncGenerator<StoredResource> {
  const { space, read, hasKeys, abandoned } = source;
  const yielder = createYielder(abandoned);
  let cursor: object = { after, before, instant, valueless };
  let left = MOST_READ;
  for (let batch = BATCH; ; batch *= GROWTH) {
    const limit = Math.min(batch, left + 1);
    const { positions } = await evaluateQuery(space, { ...query, ...cursor, limit, total: false }, source);
    let last: StoredResource | undefined;
    for (const position of positions) {
      if (left-- === 0)
        throw new TooCostly(
          `more than ${MOST_READ} resources would have to be read: narrow the search by another criterion, and leave _total out`,
        );
      last = read(position);
      if (hasKeys(last)) yield last;
    }
    if (!last || positions.length < limit) return;
    cursor = { [before === undefined ? 'after' : 'before']: last.position };
    if (yielder.due()) await yielder.yield();
  }
}
