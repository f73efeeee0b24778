// The child process of one import: what it is sent, when it is abandoned and killed, and what is kept of its last words; and what a watch logs
// of the outcome. Real ones: `directory-watch.system.test.ts`.

import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newFolder } from '#support/new-folder.ts';
import { until } from '#support/until.ts';

class Child extends EventEmitter {
  connected = true;
  pid: number | undefined = 7;
  sent: unknown[] = [];
  killed: string[] = [];
  stderr = Object.assign(new EventEmitter(), { setEncoding: () => this.stderr });
  send(message: unknown) {
    this.sent.push(message);
  }
  kill(signal: string) {
    this.killed.push(signal);
  }
}
let child: Child;
let forked: unknown[] = [];
const processes = await import('node:child_process');
jest.unstable_mockModule('node:child_process', () => ({
  ...processes,
  fork: (...given: unknown[]) => {
    forked = given;
    child = new Child();
    return child;
  },
}));
const { importInChildProcess, rebuildInChildProcess } = await import(
  '#server/directory-watch/import-in-child-process.ts'
);
const { startDirectoryWatch } = await import('#server/directory-watch/directory-watch.ts');

const FILES = { paths: ['/in/a.txt'], folder: '/in' };
let ended: AbortController;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  ended = new AbortController();
});
afterEach(() => void jest.useRealTimers());

it('is sent its files, and its last message counts, whatever it says besides', async () => {
  const result = importInChildProcess(FILES, ended.signal);
  expect(forked.slice(1)).toEqual([[], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }]);
  expect(String(forked[0])).toMatch(/import-process\.ts$/);
  expect(child.sent).toEqual([FILES]);
  child.stderr.emit('data', 'a warning');
  child.emit('message', { report: 1 });
  child.emit('close', 0, null);
  expect(await result).toEqual({ report: 1 });
  const rebuilt = rebuildInChildProcess(ended.signal);
  expect(child.sent).toEqual(['rebuild']);
  child.emit('message', { rebuilt: null });
  child.emit('close', 0, null);
  expect(await rebuilt).toEqual({ rebuilt: null });
});

it.each([
  [3, null, 'the process of the import ended early (exit code 3)'],
  [null, 'SIGKILL', 'the process of the import ended early (SIGKILL)'],
])(
  'that ends early (%j, %j) is a failure of the machine, with the last 2,000 characters of what it said',
  async (code, signal, reason) => {
    const result = importInChildProcess(FILES, ended.signal);
    child.stderr.emit('data', 'x'.repeat(1500));
    child.stderr.emit('data', 'y'.repeat(1000));
    child.emit('close', code, signal);
    expect(await result).toEqual({ cause: 'machine', message: `${reason}\n${'x'.repeat(1000)}${'y'.repeat(1000)}` });
  },
);

it('that could not be started is a failure; an error of one that runs is not its end', async () => {
  const result = importInChildProcess(FILES, ended.signal);
  child.emit('error', new Error('of the channel'));
  child.pid = undefined;
  child.emit('error', new Error('no more processes'));
  expect(await result).toEqual({ cause: 'machine', message: 'no more processes' });
});

it('that is abandoned is told so, and killed ten seconds later', async () => {
  const result = importInChildProcess(FILES, ended.signal);
  ended.abort();
  expect(child.sent).toEqual([FILES, 'abandon']);
  jest.advanceTimersByTime(9999);
  expect(child.killed).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(child.killed).toEqual(['SIGKILL']);
  child.emit('close', null, 'SIGKILL');
  await result;
  // From the start on, and not where nobody listens any more.
  const late = importInChildProcess(FILES, ended.signal);
  expect(child.sent).toEqual([FILES, 'abandon']);
  child.emit('close', 1, null);
  await late;
  jest.advanceTimersByTime(20_000);
  expect(child.killed).toEqual([]);
  const other = new AbortController();
  const gone = importInChildProcess(FILES, other.signal);
  child.connected = false;
  other.abort();
  expect(child.sent).toEqual([FILES]);
  child.emit('close', 1, null);
  await gone;
});

describe('a watch', () => {
  const own = process.env;
  let folder: string;
  let said: unknown[][];
  const log = Object.fromEntries(
    ['info', 'warn', 'error'].map((level) => [level, (...line: unknown[]) => void said.push([level, ...line])]),
  ) as never;
  beforeEach(() => {
    jest.useRealTimers();
    [folder, said, forked] = [newFolder(), [], []];
    // There is no database, so neither the audit trail nor the operator's mail can be reached.
    process.env = { ...own, HYGIE_COMMAND: 'hygie', HYGIE_CONFIG: join(folder, 'nothing') };
  });
  afterEach(() => {
    process.env = own;
  });

  const start = async (files = ['a.txt']) => {
    for (const name of files) writeFileSync(join(folder, name), name);
    const watch = startDirectoryWatch({ folder, settle: 0 }, { configFolder: folder }, log);
    await until(() => forked.length > 0, 'an import');
    return watch;
  };

  it('that is stopped waits for the end of its import, which is abandoned', async () => {
    const files = Array.from({ length: 22 }, (_, at) => `f${at + 10}.txt`);
    const named = files.slice(0, 20).map((name) => join(folder, name));
    const watch = await start(files);
    const stopped = watch.stop();
    child.emit('close', null, 'SIGKILL');
    await stopped;
    expect(said).toEqual([
      ['info', { folder, settleSeconds: 0 }, 'watching for new editions'],
      ['info', { files: [...named, 'and 2 more'] }, 'an import begins'],
      ['info', 'the import is abandoned; the directory is unchanged'],
      ['info', 'the watch has ended'],
    ]);
  });

  const counts = { resources: 1, changes: 2, linkedAccounts: 3, seconds: 4 };
  const reportOf = (outcome: string, judgement: object, warnings: object[] = []) => ({
    report: { outcome, snapshot: 's', ...counts, warnings, linesLeftOut: { count: 5 }, judgement },
  });
  const passed = { verdict: 'passed', reasons: [] };
  const accepted = { verdict: 'accepted', reasons: ['fewer'] };
  const future = { kind: 'implausible-date', count: 6, examples: ['a: 2099'] };
  const SWITCHED = 'imported: the directory was switched';
  const IMPOSSIBLE = 'files with an impossible date are passed over: name them as they are published';
  const REFUSED =
    'the import is refused; the directory is unchanged, and the files are tried again when the folder or service.yaml changes';
  const err = expect.any(Error);
  const NOT_MAILED = ['error', { err }, 'the operator could not be notified by mail of the refused edition'];
  const NOT_RECORDED = ['error', { err }, 'the audit trail has no record of the import that failed'];
  const ifMeant = expect.stringMatching(/^hygie directory import --accept counts \S+$/);
  const WAITS = ['warn', { holder: 'process 7' }, 'another import is under way: waiting until it has ended'];

  it.each([
    [
      reportOf('imported', passed),
      [['info', { snapshot: 's', ...counts, verdict: 'passed', warnings: {}, leftOut: 5 }, SWITCHED]],
    ],
    [
      reportOf('imported', accepted, [future]),
      [
        ['warn', { files: ['a: 2099'] }, IMPOSSIBLE],
        ['warn', { snapshot: 's', ...counts, ...accepted, warnings: { 'implausible-date': 6 }, leftOut: 5 }, SWITCHED],
      ],
    ],
    [
      { ...reportOf('unchanged', passed), notRecorded: 'full' },
      [
        ['error', { reason: 'full' }, 'the audit trail has no record of the import'],
        ['info', { seconds: 4 }, 'the directory holds this edition already'],
      ],
    ],
    [reportOf('unchanged', passed), [['info', { seconds: 4 }, 'the directory holds this edition already']]],
    [reportOf('refused', accepted), [NOT_MAILED, ['error', { reasons: ['fewer'] }, REFUSED]]],
    [
      reportOf('refused', { ...accepted, acceptedBy: '--accept counts' }),
      [NOT_MAILED, ['error', { reasons: ['fewer'], ifMeant }, REFUSED]],
    ],
    [{ cause: 'busy', message: 'process 7' }, [WAITS]],
    [
      { cause: 'files', message: 'no register\nRemedy' },
      [NOT_RECORDED, NOT_MAILED, ['error', { reasons: ['no register', 'Remedy'] }, REFUSED]],
    ],
    [
      { cause: 'machine', message: 'no memory' },
      [NOT_RECORDED, ['error', { reasons: ['no memory'] }, 'the import failed; the directory is unchanged']],
    ],
  ])('logs the outcome %j', async (outcome, lines) => {
    const watch = await start();
    child.emit('message', outcome);
    child.emit('close', 0, null);
    await until(() => said.length >= 2 + lines.length, 'the outcome');
    await watch.stop();
    expect(said.slice(2, 2 + lines.length)).toEqual(lines);
  });
});
