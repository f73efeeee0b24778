// The child process of one import: what it is sent, when it is abandoned and killed, and what is kept of its last words. Real ones:
// `directory-watch.system.test.ts`.

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

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
