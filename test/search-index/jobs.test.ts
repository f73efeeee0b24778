// Calls of searches without threads: whose turn it is, which one is turned away, how a queue to builders waits, and how files come into memory.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { startReadAhead } from '#search-index/read-ahead/read-ahead.ts';
import { readAll, readLost, STRETCH } from '#search-index/read-ahead/residency.ts';
import type { IndexedResource, Snapshot } from '#search-index/snapshot.ts';
import { createJobQueue, isCostly, type Job, onBehalfOf, presentCaller } from '#search-index/threads/job-queue.ts';
import { pointLookups } from '#search-index/threads/point-lookup.ts';
import { threadedSnapshot } from '#search-index/threads/threaded-snapshot.ts';
import { createWriterQueue } from '#search-index/write/writer-queue.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';

describe('calls that wait', () => {
  const job = (name: string, group: string, member = '', costly = false) =>
    ({ name, caller: { group, member }, costly }) as unknown as Job;
  const nameOf = (one: Job | undefined) => (one as { name?: string } | undefined)?.name;
  const takeAll = (queue: ReturnType<typeof createJobQueue>, costly = false) => {
    const names: (string | undefined)[] = [];
    while (queue.has(costly)) names.push(nameOf(queue.take(costly)));
    return names.join(' ');
  };

  it('take turns by group, and within a group by member; repeated ones go first', () => {
    const queue = createJobQueue(100);
    for (const [name, group, member] of [
      ['a1', 'a', 'x'],
      ['a2', 'a', 'x'],
      ['a3', 'a', 'y'],
      ['b1', 'b', 'x'],
      ['b2', 'b', 'x'],
      ['c1', 'c', 'x'],
    ] as const)
      expect(queue.add(job(name, group, member))).toBeUndefined();
    queue.add(job('dear', 'a', 'x', true));
    queue.repeat(job('again', 'z', 'z'));
    queue.repeat(job('again2', 'a', 'x'));
    expect([queue.size(), queue.has(true), queue.has(false)]).toEqual([9, true, true]);
    expect(takeAll(queue)).toBe('again again2 a1 b1 c1 a3 b2 a2');
    expect([queue.size(), queue.has(false), queue.take(false), nameOf(queue.take(true)), queue.size()]).toEqual([
      1,
      false,
      undefined,
      'dear',
      0,
    ]);
  });

  it('that are too many cost the newest of the longest line, the caller’s own among equals', () => {
    const queue = createJobQueue(4);
    for (const name of ['a1', 'a2', 'b1', 'b2']) queue.add(job(name, name[0] as string));
    expect(nameOf(queue.add(job('b3', 'b')))).toBe('b3');
    expect(nameOf(queue.add(job('c1', 'c')))).toBe('b2');
    expect(nameOf(queue.add(job('b4', 'b')))).toBe('b4');
    // Costly ones have a queue of their own.
    expect(queue.add(job('d', 'a', '', true))).toBeUndefined();
    expect([takeAll(queue), takeAll(queue, true)]).toEqual(['a1 b1 c1 a2', 'd']);
    const members = createJobQueue(3);
    for (const [name, member] of [
      ['x1', 'x'],
      ['y1', 'y'],
      ['y2', 'y'],
    ] as const)
      members.add(job(name, 'g', member));
    expect(nameOf(members.add(job('x2', 'g', 'x')))).toBe('x2');
    members.repeat(job('r', 'g', 'r'));
    expect(nameOf(members.add(job('z1', 'g', 'z')))).toBe('y2');
  });

  it('are removed by what they are, from every line', () => {
    const queue = createJobQueue(9);
    for (const name of ['a1', 'a2', 'b1']) queue.add(job(name, name[0] as string));
    queue.add(job('c1', 'c', '', true));
    queue.repeat(job('d1', 'd'));
    const removed = queue.remove((one) => /1$/.test(nameOf(one) ?? ''));
    expect([removed.map(nameOf).toSorted(), queue.size(), takeAll(queue)]).toEqual([['a1', 'b1', 'c1', 'd1'], 1, 'a2']);
    expect(queue.remove(() => true)).toEqual([]);
  });

  it('are those of their caller, now and later', async () => {
    const caller = { group: 'g', member: 'm' };
    expect(presentCaller()).toEqual({ group: '', member: '' });
    expect(onBehalfOf(caller, presentCaller)).toBe(caller);
    const later = async () => {
      await null;
      return presentCaller();
    };
    expect(await onBehalfOf(caller, later)).toBe(caller);
  });

  it.each([
    [{ match: 'chained', clauses: [{ match: 'exact', field: 'identifier', anyOf: ['1'] }] }, false],
    [{ match: 'has', clauses: [{ match: 'exact', field: 'part-of', anyOf: ['1'] }] }, false],
    [{ match: 'chained', clauses: [{ match: 'exact', field: 'identifier', anyOf: ['1', 'sys|'] }] }, true],
    [{ match: 'chained', clauses: [{ match: 'words', field: 'id', anyOf: [] }] }, true],
  ])('cost much or little by their chain: %j', (clause, costly) => {
    expect(isCostly({ method: 'search', arguments: [{ clauses: [clause], total: true }] } as never)).toBe(costly);
  });

  it.each([
    [{ method: 'read', arguments: ['Practitioner', 'a'] }, true],
    [{ method: 'gone', arguments: ['Practitioner', 'a'] }, false],
    ...(
      [
        [{ field: 'id', match: 'exact', anyOf: ['a'] }, true],
        [{ field: 'identifier', match: 'exact', anyOf: ['sys|a'] }, true],
        [{ field: 'identifier', match: 'exact', anyOf: ['sys|'] }, false],
        [{ field: 'id', match: 'exact', anyOf: ['a', 'b'] }, false],
        [{ field: 'id', match: 'exact', anyOf: [] }, false],
        [{ field: 'id', match: 'exact', anyOf: ['a'], not: true }, false],
        [{ field: 'telecom', match: 'exact', anyOf: ['a'] }, false],
        [{ field: 'id', match: 'present', present: true }, false],
      ] as const
    ).map(([clause, here]) => [{ method: 'search', arguments: [{ clauses: [clause] }] }, here] as const),
    [{ method: 'search', arguments: [{ clauses: [] }] }, false],
    [{ method: 'search', arguments: [{ clauses: [{ field: 'id', match: 'exact', anyOf: ['a'] }, {}] }] }, false],
    [
      { method: 'search', arguments: [{ clauses: [{ field: 'id', match: 'exact', anyOf: ['a'] }], exactly: [] }] },
      false,
    ],
    [
      {
        method: 'search',
        arguments: [{ clauses: [{ field: 'id', match: 'exact', anyOf: ['a'] }], order: { by: 'updated' } }],
      },
      false,
    ],
  ])('are answered in the calling thread where they look up one resource: %j, %j', async (call, here) => {
    const ready = {
      read: async (...args: string[]) => args,
      search: async (query: object) => [query],
      close: async () => {},
    };
    const lookups = pointLookups('file', {}, (file) => file === 'file', ready as never);
    const answer = lookups.answer(call as never);
    expect(await answer).toEqual(here ? call.arguments : undefined);
    expect(pointLookups('file', {}, () => false, ready as never).answer(call as never)).toBeUndefined();
    await lookups.close();
  });

  it('of a snapshot in threads go there by name, until it is closed', async () => {
    const calls: unknown[] = [];
    let closed = 0;
    const description = { id: 'a', counts: { Practitioner: 1, Organization: 2, PractitionerRole: 3 }, history: [] };
    const submit = async (call: { method: string; arguments: unknown }, abandoned?: () => boolean) => {
      calls.push([call.method, call.arguments, abandoned?.()]);
      return call.method;
    };
    const snapshot = threadedSnapshot(description, submit as never, async () => void closed++);
    expect([snapshot.id, await snapshot.counts(), await snapshot.history()]).toEqual(['a', description.counts, []]);
    const asked: [keyof Snapshot, unknown[]][] = [
      ['codes', ['Practitioner', 'active']],
      ['spellings', ['Practitioner', { field: 'name', word: 'x', within: 1 }]],
      ['read', ['Practitioner', 'a']],
      ['gone', ['Practitioner', 'a']],
      ['scan', ['Practitioner', { from: 0, to: 1 }]],
      ['listGone', ['Practitioner', { limit: 1 }]],
    ];
    for (const [method, args] of asked)
      expect(await (snapshot[method] as (...some: unknown[]) => unknown)(...args)).toBe(method);
    expect(await snapshot.search({ limit: 1 } as never, { abandoned: () => true })).toBe('search');
    expect(calls).toEqual([
      ...asked.map(([method, args]) => [method, args, undefined]),
      ['search', [{ limit: 1 }], true],
    ]);
    await snapshot.close();
    await expect(snapshot.read('Practitioner', 'a')).rejects.toThrow('the snapshot a is closed');
    expect([closed, calls.length]).toEqual([1, 7]);
  });
});

describe('a queue to builders', () => {
  it('learns repeated parts until it is frozen, or loads those of another one', async () => {
    const empty = { Practitioner: [], Organization: [], PractitionerRole: [] };
    const make = () => {
      const batches: { type: string; count: number; newTexts: string[] }[] = [];
      const queue = createWriterQueue(empty, () => ({
        send: (batch) => void batches.push(batch),
        stored: async () => {},
      }));
      return { queue, batches };
    };
    const add = (queue: ReturnType<typeof make>['queue'], id: string) =>
      queue.add(practitioner(id, id, {}, { active: true }) as IndexedResource);
    const first = make();
    expect(add(first.queue, 'a')).toBeUndefined();
    const learned = await first.queue.freezeDictionaries();
    expect(learned).toEqual({ ...empty, Practitioner: ['"active":', '"active":true'] });
    expect(first.batches).toMatchObject([{ type: 'Practitioner', count: 1, newTexts: learned.Practitioner }]);
    const second = make();
    second.queue.loadDictionaries(learned);
    await add(second.queue, 'b');
    await second.queue.flush();
    expect(second.batches).toMatchObject([{ count: 1, newTexts: [] }]);
    expect(await second.queue.freezeDictionaries()).toEqual(learned);
    // A type of which nothing was learned makes no marks here either.
    const third = make();
    third.queue.loadDictionaries(empty);
    await add(third.queue, 'c');
    await third.queue.flush();
    expect(third.batches).toMatchObject([{ count: 1, newTexts: [] }]);
    await third.queue.flush();
    expect(third.batches).toHaveLength(1);
  });
});

describe('a file that comes into memory', () => {
  afterEach(() => void jest.restoreAllMocks());

  const file = join(newFolder(), 'snapshot');
  const BYTES = 3 * STRETCH + 1000;
  writeFileSync(file, Buffer.alloc(BYTES, 'x'));

  it('is read again where a page took longer than memory takes', () => {
    const each = (milliseconds: number) => {
      let now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => (now += milliseconds));
      return readLost(file, () => false);
    };
    expect([STRETCH, each(0.039), each(0.05)]).toEqual([262_144, 0, BYTES]);
    let looks = 0;
    expect(readLost(file, () => looks++ >= 2)).toBe(2 * STRETCH);
    looks = 0;
    expect(readAll(file, () => looks++ >= 1)).toBe(BYTES);
  });

  it('is read in this thread if it is small, and then is held without an event', async () => {
    const events: unknown[] = [];
    const readAhead = startReadAhead({ onEvent: (event) => events.push(event), small: BYTES });
    await readAhead.read(file);
    expect([readAhead.holds(file), readAhead.holds(`${file}x`), events]).toEqual([true, false, []]);
    await readAhead.close();
    await readAhead.read(`${file}x`);
    expect(events).toEqual([{ event: 'failed', error: expect.stringContaining('ENOENT') }]);
  });
});
