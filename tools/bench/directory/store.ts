// Measures searches through the search index, on one thread and warm: class by class, with and without total.

import { createReadStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import type { SearchQuery, Snapshot } from '#search-index/snapshot.ts';
import { createDraw } from '#support/draw.ts';
import { spreadOf } from '#tools/site/load.ts';
import { chainClasses } from './chain-classes.ts';
import { type Query, queryClasses, type Sources } from './query-classes.ts';
import type { Row } from './table.ts';

/** Resources of a page, as a search without `_count` gets. */
const PAGE = 50;
/** Milliseconds between two looks at the event loop. */
const RESOLUTION = 1;

const OWN = { base: 'http://localhost/directory/v2', namespace: 'http://localhost' };
const PARSERS = {
  Practitioner: createSearchParser(PRACTITIONER, OWN),
  Organization: createSearchParser(ORGANIZATION, OWN),
  PractitionerRole: createSearchParser(PRACTITIONER_ROLE, OWN),
};

/** The clauses and the order that the directory parses from a query. */
export function parsed({ type, search, depth }: Query, all: number, total: boolean): SearchQuery {
  const { clauses, order } = PARSERS[type](search, { lenient: false });
  const after = depth === undefined ? {} : { after: Math.floor(depth * all) };
  return { type, clauses, limit: PAGE, total, ...after, ...(order && { order }) };
}

/** Measures every class. `file`: of the snapshot, read once beforehand so that the page cache holds it. */
export async function measureStore(
  { snapshot, file, sources, queries }: { snapshot: Snapshot; file: string; sources: Sources; queries: number },
  tell: (text: string) => void,
): Promise<Row[]> {
  for await (const _ of createReadStream(file, { highWaterMark: 1 << 20 }));
  const counts = await snapshot.counts();
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  loop.enable();
  const blocked = () => Math.max(0, loop.max / 1e6 - RESOLUTION);
  await setTimeout(1000);
  const idle = blocked();
  const rows: Row[] = [];
  let longest = 0;
  let asked = 0;
  const missed: Query[] = [];
  for (const { name, query } of [...queryClasses(sources), ...chainClasses(sources)]) {
    tell(`store: ${name}`);
    for (const total of [false, true]) {
      const draw = createDraw(7);
      const drawn = Array.from({ length: queries * 2 }, () => query(draw));
      const ready = drawn.map((one) => parsed(one, counts[one.type], total));
      // The first half warms up: the same kind of query, but not the very ones that are measured.
      for (const one of ready.slice(0, queries)) await snapshot.search(one);
      await nextTurn();
      loop.reset();
      const times: number[] = [];
      for (let index = queries; index < ready.length; index++) {
        const before = performance.now();
        const page = await snapshot.search(ready[index] as SearchQuery);
        times.push(performance.now() - before);
        const one = drawn[index] as Query;
        if (one.certain && page.matches.length === 0) missed.push(one);
        await nextTurn();
      }
      longest = Math.max(longest, blocked());
      asked += times.length;
      const note = `event loop blocked ${blocked().toFixed(1)} ms at most`;
      rows.push({ what: `store: ${name}${total ? ', exact total' : ''}`, spread: spreadOf(times), note });
    }
  }
  loop.disable();
  rows.push({
    what: 'store: longest time that the event loop was blocked',
    note: `**${longest.toFixed(1)} ms** (to the millisecond; ${idle.toFixed(1)} ms while the process did nothing)`,
  });
  const examples = missed.slice(0, 3).map(({ type, search }) => ` ${type}?${search}`);
  rows.push({
    what: 'store: queries that did not find whom they were drawn from',
    note: `${missed.length} of ${asked}${examples}`,
  });
  return rows;
}
