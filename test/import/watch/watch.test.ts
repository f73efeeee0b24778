// Directory data, renewal: which files of a watched folder are an edition, when they count as complete, and when they are
// tried again. The whole with its processes: `test/server/directory-watch.system.test.ts`.

import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LoadOutcome, watchFolder } from '#import/watch/watch.ts';
import { newFolder } from '#support/new-folder.ts';

describe('renewal: when files are loaded', () => {
  const SETTLE = 120;
  const RETRY = 100;
  let folder: string;
  let ended: AbortController;
  let watching: Promise<void>;
  let loads: string[][];
  let log: string[];
  let wake: () => void;
  let answers: LoadOutcome[];
  let limitsVersion: string;
  /** Milliseconds of the clock that the watch goes by, which stands still; and how often it was asked for. */
  let clock: number;
  let asked: number;

  const file = (name: string, text = 'x') => writeFileSync(join(folder, name), text);
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise<void>((resolve) => (wake = resolve));
  };
  const logged = (text: string) => until(() => log.some((line) => line.includes(text)));
  /** The watch has begun to look since, and come to the end of it: each look asks for the time one to three times. */
  const looked = () => {
    const enough = asked + 4;
    return until(() => asked >= enough);
  };
  const pass = async (milliseconds: number) => {
    await looked();
    clock += milliseconds;
    await looked();
  };
  /** Nothing has changed for long enough, and the watch has looked several times since. */
  const quiet = async () => {
    await pass(SETTLE);
    await looked();
  };

  beforeEach(() => {
    folder = newFolder();
    ended = new AbortController();
    loads = [];
    log = [];
    answers = [];
    limitsVersion = 'limits';
    wake = () => {};
    clock = 1_000_000;
    asked = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => {
      asked += 1;
      wake();
      return clock;
    });
    const note = (entry: object, message: string) => {
      log.push(`${message} ${JSON.stringify(entry)}`);
      wake();
    };
    watching = watchFolder({
      folder,
      settleMs: SETTLE,
      retryMs: RETRY,
      lookMs: 1,
      limitsVersion: async () => limitsVersion,
      log: { info: note, warn: note, error: note },
      signal: ended.signal,
      load: async (paths) => {
        loads.push(paths.map((path) => path.slice(folder.length + 1)));
        wake();
        return answers.shift() ?? { kind: 'done' };
      },
    });
  });
  afterEach(async () => {
    ended.abort();
    await watching;
    jest.restoreAllMocks();
  });

  it('waits until nothing changes, files on their way included, and loads once', async () => {
    file('a.txt');
    for (let piece = 0; piece < 4; piece++) {
      appendFileSync(join(folder, 'b.txt.part'), 'piece');
      await pass(SETTLE - 1);
      expect(loads).toEqual([]);
    }
    renameSync(join(folder, 'b.txt.part'), join(folder, 'b.txt'));
    mkdirSync(join(folder, '.partial'));
    file('.partial/c.txt');
    await quiet();
    expect(loads).toEqual([['a.txt', 'b.txt']]);
    expect(log.filter((line) => line.includes('waiting until it is quiet')).length).toBeLessThanOrEqual(1);
    await quiet();
    expect(loads).toHaveLength(1);
  });

  it('follows links to files, and says once that one leads nowhere, until it does', async () => {
    mkdirSync(join(folder, '.store'));
    file('.store/1', 'one');
    symlinkSync('.store/1', join(folder, 'a.txt'));
    symlinkSync('.store/2', join(folder, 'b.txt'));
    symlinkSync('.store', join(folder, 'c'));
    symlinkSync('d.txt', join(folder, 'd.txt'));
    await quiet();
    expect(loads).toEqual([['a.txt']]);
    expect(log.filter((line) => line.includes('lead to no file'))).toEqual([
      expect.stringContaining('["b.txt","d.txt"]'),
    ]);
    file('.store/2', 'two');
    await quiet();
    expect(loads).toEqual([['a.txt'], ['a.txt', 'b.txt']]);
  });

  it('does not try refused files again until the folder or the limits change', async () => {
    answers = [{ kind: 'refused' }, { kind: 'refused' }, { kind: 'done' }];
    file('a.txt');
    await quiet();
    await quiet();
    expect(loads).toHaveLength(1);
    limitsVersion = 'higher limits';
    await until(() => loads.length === 2);
    await quiet();
    expect(loads).toHaveLength(2);
    file('a.txt', 'whole');
    await quiet();
    await quiet();
    expect(loads).toHaveLength(3);
  });

  it('tries again what the machine failed at, after a pause, and what another import held up, at once', async () => {
    answers = [{ kind: 'failed' }, { kind: 'busy', holder: 'process 7' }, { kind: 'busy', holder: 'process 7' }];
    file('a.txt');
    await quiet();
    expect(loads).toHaveLength(1);
    await pass(RETRY - 1);
    expect(loads).toHaveLength(1);
    clock += 1;
    await until(() => loads.length === 4);
    expect(log.filter((line) => line.includes('another import is under way'))).toHaveLength(1);
    await quiet();
    expect(loads).toHaveLength(4);
  });

  it('files that are taken away after a load are no new edition', async () => {
    file('a_20261008.txt');
    file('b_20261008.txt');
    file('a_20261007.txt');
    await quiet();
    expect(loads).toEqual([['a_20261008.txt', 'b_20261008.txt']]);
    expect(log.join()).toMatch(/older editions are passed over.*a_20261007\.txt/);
    rmSync(join(folder, 'a_20261007.txt'));
    rmSync(join(folder, 'b_20261008.txt'));
    await quiet();
    expect(loads).toHaveLength(1);
  });

  it('a date that cannot be neither blocks nor is loaded, and is warned of once, whatever else is new', async () => {
    file('a_202610080830.txt');
    await quiet();
    file('a_209901010000.txt');
    await quiet();
    expect(log.filter((line) => line.includes('2099'))).toHaveLength(1);
    expect(loads).toEqual([['a_202610080830.txt']]);
    file('a_202610090830.txt');
    await quiet();
    expect(loads).toEqual([['a_202610080830.txt'], ['a_202610090830.txt']]);
    const warned = log.filter((line) => line.includes('with an impossible date are passed over'));
    expect(warned).toEqual([
      expect.stringMatching(/a_209901010000\.txt: its date, 2099-01-01T00:00, is in the future/),
    ]);
  });

  it('outlives a folder that is away for a while, as on a network', async () => {
    renameSync(folder, `${folder}-away`);
    await logged('cannot be read');
    writeFileSync(join(`${folder}-away`, 'a.txt'), 'x');
    // Several looks meet nothing.
    await new Promise((resolve) => setTimeout(resolve, 20));
    renameSync(`${folder}-away`, folder);
    await logged('can be read again');
    await quiet();
    expect(loads).toHaveLength(1);
    expect(log.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
  });

  it('says what it does, word for word', async () => {
    const busy: LoadOutcome = { kind: 'busy', holder: 'process 7' };
    answers = [busy, { kind: 'failed' }, { kind: 'failed' }, { kind: 'refused' }, busy];
    file('a_20261008.txt');
    file('a_20261007.txt');
    file('b_20269999.txt');
    file('b_20261008.txt');
    symlinkSync('nowhere', join(folder, 'c.txt'));
    await pass(SETTLE);
    await until(() => loads.length === 2);
    await pass(RETRY);
    await until(() => loads.length === 3);
    // The pause has doubled.
    await pass(2 * RETRY - 1);
    expect(loads).toHaveLength(3);
    clock += 1;
    await until(() => loads.length === 4);
    file('d_20261008.txt');
    await quiet();
    await until(() => loads.length === 6);
    const changes = `the watched folder changes: waiting until it is quiet ${JSON.stringify({ folder })}`;
    expect(log.at(-2)).toBe(changes);
    // Whether the first look came before the files is chance.
    expect(log.filter((line) => line !== changes)).toEqual([
      `watching for new editions ${JSON.stringify({ folder, settleSeconds: 0.12 })}`,
      'links that lead to no file are left out: repair or remove them {"files":["c.txt"]}',
      'files with an impossible date are passed over: name them as they are published {"files":["b_20269999.txt: its date, 2026-99-99, is no day of the calendar"]}',
      'files of older editions are passed over {"files":["a_20261007.txt"]}',
      'another import is under way: waiting until it has ended {"holder":"process 7"}',
      'the same files are tried again after a pause {"seconds":0}',
      'the same files are tried again after a pause {"seconds":0}',
      'another import is under way: waiting until it has ended {"holder":"process 7"}',
    ]);
    expect(loads.map((paths) => paths.join())).toEqual([
      ...Array.from({ length: 4 }, () => 'a_20261008.txt,b_20261008.txt'),
      ...Array.from({ length: 2 }, () => 'a_20261008.txt,b_20261008.txt,d_20261008.txt'),
    ]);
  });
});
