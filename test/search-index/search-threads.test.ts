// "Nothing holds up a sign-in": searches in threads. One thread that stands still, or dies, holds up nobody else; what
// waits is bounded; what nobody waits for is not begun.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { chmodSync, copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import { Abandoned, TooCostly, Unavailable } from '#search-index/search-errors.ts';
import type { SearchQuery, Snapshot } from '#search-index/snapshot.ts';
import { onBehalfOf } from '#search-index/threads/job-queue.ts';
import { type SearchThreadsOptions, startSearchThreads, threadCount } from '#search-index/threads/search-threads.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { edition } from '#support/directory/edition.ts';
import { newFolder } from '#support/new-folder.ts';
import { checks, closedGate, GATED_CHECKS } from '#support/search-index/gated-checks.ts';
import { until } from '#support/until.ts';

let folder: string;
let file: string;

const ends: (() => unknown)[] = [];

async function opened(options: Partial<SearchThreadsOptions> = {}) {
  const searches = startSearchThreads({ threads: 2, checks: GATED_CHECKS, ...options });
  ends.push(searches.close);
  const snapshot = await searches.open(file);
  ends.push(snapshot.close);
  return { searches, snapshot };
}

let people = 0;

function gate() {
  const one = closedGate();
  ends.push(one.open);
  return one;
}

/** Costly, because it asks for exact texts: a search that a test can hold. */
const exactly = (text: string): SearchQuery => ({
  type: 'Practitioner',
  clauses: [],
  limit: 3,
  total: false,
  exactly: [{ field: 'name', texts: [text] }],
});
const cheap: SearchQuery = {
  type: 'Practitioner',
  clauses: [{ field: 'name', match: 'words', anyOf: [[{ prefix: 'duv', whole: [] }]] }],
  limit: 3,
  total: 'unless-costly',
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

it.each([
  ['auto', 1, 1, 2],
  ['auto', 1, 3, 3],
  ['auto', 1, 8, 4],
  ['auto', 2, 8, 4],
  ['auto', 3, 8, 2],
  ['auto', 3, 9, 3],
  [7, 3, 8, 7],
] as const)('%s threads in each of %i processes on %i cores are %i', (wanted, processes, cores, threads) => {
  expect(threadCount(wanted, processes, cores)).toBe(threads);
});

describe('a snapshot in search threads', () => {
  beforeAll(async () => {
    folder = newFolder();
    const writer = createSnapshotWriter({ folder, id: 'threads' });
    for (const resource of edition()) await writer.add(resource);
    file = join(folder, (await writer.finish()).file);
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it('answers every call as one that is read in this thread', async () => {
    const { snapshot } = await opened();
    const here = await openSnapshot(file, checks);
    ends.push(here.close);
    const calls: readonly ((of: Snapshot) => Promise<unknown>)[] = [
      (of) => of.search(cheap),
      (of) => of.search({ ...cheap, total: true, order: { by: 'updated', descending: true } }),
      (of) => of.search(exactly('anything')),
      (of) => of.read('Practitioner', 'prat-1'),
      (of) => of.read('Practitioner', 'nobody'),
      (of) => of.gone('Practitioner', 'nobody'),
      (of) => of.counts(),
      (of) => of.history(),
      (of) => of.scan('Organization', { from: 0, to: 3 }),
      (of) => of.listGone('Practitioner', { limit: 10 }),
    ];
    expect(snapshot.id).toBe(here.id);
    for (const call of calls) expect(await call(snapshot)).toEqual(await call(here));
    // All at once, they go as one message.
    expect(await Promise.all(calls.map((call) => call(snapshot)))).toEqual(
      await Promise.all(calls.map((call) => call(here))),
    );
  });

  it('starts its first thread with the first search, and for a file of more than 32 MiB when it is opened', async () => {
    const started: unknown[] = [];
    const note = (message: unknown) => void started.push(message);
    subscribe('worker_threads', note);
    ends.push(() => unsubscribe('worker_threads', note));
    const { snapshot } = await opened({ isInMemory: () => true });
    expect(await snapshot.read('Practitioner', 'prat-1')).toBeDefined();
    expect(started).toHaveLength(0);
    await snapshot.search(cheap);
    expect(started).toHaveLength(1);

    const large = join(newFolder(), 'large.sqlite');
    copyFileSync(file, large);
    chmodSync(large, 0o600);
    truncateSync(large, 32 * 2 ** 20);
    const searches = startSearchThreads({ threads: 2 });
    ends.push(searches.close);
    ends.push((await searches.open(large)).close);
    expect(started).toHaveLength(1);
    truncateSync(large, 32 * 2 ** 20 + 1);
    ends.push((await searches.open(large)).close);
    expect(started).toHaveLength(2);
  });

  it('looks up an id or an identifier in this thread, though every other one stands still, while the file is in memory', async () => {
    let inMemory = true;
    const { snapshot } = await opened({ threads: 1, isInMemory: (path) => inMemory && path === file });
    const { text, open } = gate();
    const byId: SearchQuery = {
      type: 'Practitioner',
      clauses: [{ field: 'id', match: 'exact', anyOf: ['prat-1'] }],
      limit: 5,
      total: true,
    };
    // The first one opens the file here as well, which may last longer than its own answer.
    const found = await snapshot.search(byId);
    const held = snapshot.search(exactly(text));
    const atOnce = async <T>(answer: Promise<T>) => Promise.race([answer, setTimeout(100)]);
    let here: unknown;
    await until(async () => {
      here = await atOnce(snapshot.search(byId));
      return here !== undefined;
    }, 'a look-up in this thread');
    expect(here).toEqual(found);
    await until(
      async () => (await atOnce(snapshot.read('Practitioner', 'prat-1')))?.id === 'prat-1',
      'a read in this thread',
    );

    inMemory = false;
    let answered = false;
    const waiting = snapshot.search(byId).then((page) => {
      answered = true;
      return page;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    open();
    expect(await waiting).toEqual(found);
    await held;
  });

  it('refuses a search as it is refused in this thread, and a file that is no snapshot', async () => {
    const { searches, snapshot } = await opened();
    const wrong: SearchQuery = { ...cheap, clauses: [{ field: 'shoe', match: 'exact', anyOf: ['44'] }] };
    await expect(snapshot.search(wrong)).rejects.toThrow('no indexed field shoe');
    await expect(searches.open(join(folder, 'missing.sqlite'))).rejects.toThrow('unable to open');
    expect(await failure(snapshot.search(exactly('costly')))).toBeInstanceOf(TooCostly);
  });

  it('leaves a thread to short searches while costly ones stand still, however many', async () => {
    const { snapshot } = await opened();
    const { text, open } = gate();
    const held = Array.from({ length: 9 }, () => snapshot.search(exactly(text)));
    const { matches } = await snapshot.search(cheap);
    expect(matches.length).toBeGreaterThan(0);
    open();
    for (const { matches: found } of await Promise.all(held)) expect(found).toHaveLength(3);
  });

  it('refuses what is more than may wait, at once, and goes on afterwards', async () => {
    const { snapshot } = await opened({ threads: 1, waiting: 5 });
    const { text, open } = gate();
    // Four run at a time, five wait.
    const held = Array.from({ length: 9 }, () => snapshot.search(exactly(text)));
    const refused = await failure(snapshot.search(exactly(text)));
    expect(refused).toBeInstanceOf(Unavailable);
    expect((refused as Unavailable).retryAfter).toBeGreaterThan(0);
    open();
    expect(await Promise.all(held)).toHaveLength(9);
    expect((await snapshot.search(cheap)).matches.length).toBeGreaterThan(0);
  });

  it.each([
    ['SEC-59', 'client', (caller: string) => ({ group: caller, member: caller === 'flood' ? `${people++}` : 'one' })],
    ['SEC-76', 'person', (caller: string) => ({ group: 'client', member: caller })],
  ])(
    '%s a flood of one %s displaces and delays only its own: whoever else asks waits for one turn',
    async (_line, _what, callerOf) => {
      const { snapshot } = await opened({ threads: 1, waiting: 5 });
      const { text, open } = gate();
      const order: string[] = [];
      const ask = (caller: string) =>
        onBehalfOf(callerOf(caller), () => snapshot.search(exactly(text))).then(
          () => void order.push(caller),
          (error: Error) => error,
        );
      const flood = Array.from({ length: 9 }, () => ask('flood'));
      const others = [ask('one'), ask('another'), ask('one')];
      for (const newest of flood.slice(6)) expect(await newest).toBeInstanceOf(Unavailable);
      expect(await ask('flood')).toBeInstanceOf(Unavailable);
      open();
      expect(await Promise.all([...flood.slice(0, 6), ...others])).toEqual(Array(9).fill(undefined));
      // Four ran, and of the two that waited one had come before all others.
      expect(order.slice(4)).toEqual(['flood', 'one', 'another', 'flood', 'one']);
    },
  );

  it('gives up what is not done in time, and does not begin it when it waited', async () => {
    const { snapshot } = await opened({ threads: 1, within: 50 });
    const { text, open } = gate();
    const running = failure(snapshot.search(exactly(text)));
    // Of the lane of the costly ones: waits behind four.
    const others = Array.from({ length: 4 }, () => failure(snapshot.search(exactly(text))));
    for (const error of await Promise.all([running, ...others])) expect(error).toBeInstanceOf(Unavailable);
    open();
    await until(async () => (await failure(snapshot.search(cheap))) === undefined, 'a search is answered again');
  });

  it('drops a search that nobody waits for any more', async () => {
    const { snapshot } = await opened({ threads: 1 });
    const { text, open } = gate();
    let gone = false;
    const held = Array.from({ length: 4 }, () => snapshot.search(exactly(text)));
    const waiting = failure(snapshot.search(exactly('deadly'), { abandoned: () => gone }));
    gone = true;
    // It would have ended the thread.
    expect(await waiting).toBeInstanceOf(Abandoned);
    open();
    await Promise.all(held);
  });

  it('replaces a thread that dies, repeats what ran in it once, and refuses what kills the next one too', async () => {
    const deaths: number[] = [];
    const { snapshot } = await opened({ threads: 2, onDeath: (_error, jobs) => deaths.push(jobs) });
    const deadly = failure(snapshot.search(exactly('deadly')));
    const innocent = snapshot.search(exactly('innocent'));
    expect(await deadly).toBeInstanceOf(Unavailable);
    expect(await deadly).toMatchObject({ retryAfter: 5 });
    const outcome = await failure(innocent);
    // Both ran in the same thread, and what was repeated may have met the same end again.
    if (outcome !== undefined) expect(outcome).toBeInstanceOf(Unavailable);
    expect(deaths).toHaveLength(2);
    expect((await snapshot.search(exactly('after'))).matches).toHaveLength(3);
  });

  it('closes a snapshot once its searches have ended, and then opens the next one in every thread', async () => {
    const { searches, snapshot } = await opened();
    const { text, open } = gate();
    const held = snapshot.search(exactly(text));
    let closed = false;
    const closing = snapshot.close().then(() => {
      closed = true;
    });
    const other = await searches.open(file);
    expect((await other.search(cheap)).matches.length).toBeGreaterThan(0);
    expect(closed).toBe(false);
    await expect(snapshot.search(cheap)).rejects.toThrow('is closed');
    open();
    expect((await held).matches).toHaveLength(3);
    await closing;
    expect((await other.search(exactly('again'))).matches).toHaveLength(3);
    await other.close();
  });

  it('ends with what still waits refused', async () => {
    const searches = startSearchThreads({ threads: 1, checks: GATED_CHECKS });
    const snapshot = await searches.open(file);
    const { text, open } = closedGate();
    const held = Array.from({ length: 6 }, () => failure(snapshot.search(exactly(text))));
    const closing = searches.close();
    expect(await held[5]).toBeInstanceOf(Unavailable);
    open();
    await closing;
    await Promise.all(held);
  });
});
