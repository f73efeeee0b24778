// The log on a standard output that is slow, full or gone, by a clock of the tests. With real pipes and disks: `output.system.test.ts`.

import * as files from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

type Done = (error: NodeJS.ErrnoException | null, written: number) => void;
/** What was given to the system, and how it answers. */
let writes: { fd: number; text: string; done: Done }[] = [];
let sync: string[] = [];
let syncErrors: string[] = [];
jest.unstable_mockModule('node:fs', () => ({
  ...files,
  write: (fd: number, piece: Buffer, done: Done) => void writes.push({ fd, text: piece.toString(), done }),
  writeSync: (_fd: number, piece: Buffer) => {
    const code = syncErrors.shift();
    if (code) throw Object.assign(new Error(code), { code });
    // Half of it at a time, as a pipe may.
    const taken = piece.subarray(0, Math.ceil(piece.length / 2));
    sync.push(taken.toString());
    return taken.length;
  },
}));
const { together, writeNow } = await import('#shared/log/standard-output.ts');

const failure = (code: string) => Object.assign(new Error(code), { code });
const taken = (last: { text: string; done: Done } | undefined, bytes = Buffer.byteLength(last?.text ?? '')) =>
  last?.done(null, bytes);
let exits: (() => void)[] = [];

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-11-28T12:00:00Z'), doNotFake: ['nextTick'] });
  [writes, sync, syncErrors, exits] = [[], [], [], []];
  jest.spyOn(process, 'prependListener').mockImplementation((_event, listener) => {
    exits.push(listener as () => void);
    return process;
  });
  jest.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('lines for machines', () => {
  it('are written together, twice a second at the latest', () => {
    const log = together();
    log.write('a\n');
    jest.advanceTimersByTime(499);
    log.write('b\n');
    expect(writes).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(writes.map(({ fd, text }) => [fd, text])).toEqual([[1, 'a\nb\n']]);
    // The next ones wait for the one under way, and then half a second.
    log.write('c\n');
    jest.advanceTimersByTime(500);
    expect(writes).toHaveLength(1);
    taken(writes[0]);
    jest.advanceTimersByTime(499);
    expect(writes).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(writes[1]?.text).toBe('c\n');
    taken(writes[1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are written at once from 16,384 characters on', () => {
    const log = together(2);
    log.write('x'.repeat(16_383));
    expect(writes).toEqual([]);
    log.write('y');
    expect([writes.length, writes[0]?.fd, writes[0]?.text.length]).toEqual([1, 2, 16_384]);
  });

  it('that were written in part are written on', () => {
    const log = together();
    log.write('abc\n');
    jest.advanceTimersByTime(500);
    taken(writes[0], 1);
    expect(writes[1]?.text).toBe('bc\n');
  });

  it.each([
    ['EAGAIN', false],
    ['EBUSY', false],
    ['ENOSPC', true],
  ])('are tried again after a second (%s), and a loss is told: %j', (code, told) => {
    const log = together();
    log.write('a\n');
    jest.advanceTimersByTime(500);
    writes[0]?.done(failure(code), 0);
    jest.advanceTimersByTime(999);
    expect(writes).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(writes[1]?.text).toBe('a\n');
    log.write('b'.repeat(4_194_303));
    log.write('c');
    log.write('lost');
    log.write('lost, too');
    taken(writes[1]);
    jest.advanceTimersByTime(500);
    expect([writes[2]?.text.slice(0, 2), writes[2]?.text.slice(4_194_302, 4_194_304)]).toEqual(['bb', 'bc']);
    if (!told) return expect(writes[2]?.text).toHaveLength(4_194_304);
    const text = writes[2]?.text.slice(4_194_304) ?? '';
    expect(JSON.parse(text)).toEqual({
      level: 'warn',
      time: '2026-11-28T12:00:01.500Z',
      pid: process.pid,
      code,
      missing: 2,
      msg: 'the log could not be written for a while: the lines of that time came late, and those that are missing are counted',
    });
    // What is missing later is counted anew.
    taken(writes[2]);
    log.write('d\n');
    jest.advanceTimersByTime(500);
    expect(writes[3]?.text).toBe('d\n');
  });

  it('are dropped once the reader has gone', () => {
    const log = together();
    log.write('a\n');
    jest.advanceTimersByTime(500);
    log.write('b\n');
    writes[0]?.done(failure('EPIPE'), 0);
    log.write('c\n');
    jest.advanceTimersByTime(10_000);
    for (const exit of exits) exit();
    expect([writes.length, sync]).toEqual([1, []]);
  });

  it('are written at the exit: those that wait, and those that were refused', () => {
    const log = together();
    log.write('abcd');
    for (const exit of exits) exit();
    expect(sync.join('')).toBe('abcd');
    [sync, exits] = [[], []];
    const other = together();
    other.write('ab');
    jest.advanceTimersByTime(500);
    other.write('cd');
    for (const exit of exits) exit();
    expect(sync.join('')).toBe('cd');
    for (const code of ['ENOSPC', 'EAGAIN']) {
      [sync, exits] = [[], []];
      const refused = together();
      refused.write('ab');
      jest.advanceTimersByTime(500);
      writes.at(-1)?.done(failure(code), 0);
      refused.write('cd');
      for (const exit of exits) exit();
      expect([code, sync.join('')]).toEqual([code, 'abcd']);
      // An attempt under way is not repeated.
      [sync, exits] = [[], []];
      const retried = together();
      retried.write('ab');
      jest.advanceTimersByTime(500);
      writes.at(-1)?.done(failure(code), 0);
      jest.advanceTimersByTime(1000);
      for (const exit of exits) exit();
      expect(sync).toEqual([]);
    }
  });
});

it('a text that is written now waits for a slow reader fifty times 20 ms, and for no other error', () => {
  syncErrors = ['EAGAIN', 'EBUSY'];
  writeNow(1, 'abcd');
  expect([sync.join(''), jest.mocked(Atomics.wait).mock.calls.map(([, , , pause]) => pause)]).toEqual([
    'abcd',
    [20, 20],
  ]);
  [sync, syncErrors] = [[], Array.from({ length: 60 }, () => 'EAGAIN')];
  writeNow(1, 'abcd');
  expect([sync, syncErrors.length]).toEqual([[], 10]);
  syncErrors = ['EPIPE'];
  writeNow(1, 'abcd');
  expect(sync).toEqual([]);
});
