// Operations: what ends a process, how long it may take, and what it says. With real processes: `ends.system.test.ts`.

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { closeWithin, exitSoon, logProcessMessages, onStopSignals } from '#server/process/process-end.ts';

describe('operations: the end of a process', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('a signal that comes again within a second is the same one, and a later one is impatient', () => {
    const [first, again] = [jest.fn(), jest.fn()];
    const remove = onStopSignals(first, again);
    process.emit('SIGTERM', 'SIGTERM');
    jest.advanceTimersByTime(1000);
    process.emit('SIGINT', 'SIGINT');
    expect([first.mock.calls, again.mock.calls.length]).toEqual([[['SIGTERM']], 0]);
    jest.advanceTimersByTime(1);
    process.emit('SIGHUP', 'SIGHUP');
    expect([first.mock.calls.length, again.mock.calls.length]).toEqual([1, 1]);
    const counts = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => process.listenerCount(signal));
    remove();
    expect(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => process.listenerCount(signal))).toEqual(
      counts.map((count) => count - 1),
    );
  });

  it('closing has a time, after which the process ends without, and the log says so', async () => {
    const said: string[] = [];
    const late = { error: (message: string) => said.push(message) } as never;
    await closeWithin(100, Promise.resolve(), late);
    await expect(closeWithin(100, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
    expect([jest.getTimerCount(), said]).toEqual([0, []]);
    const closing = closeWithin(100, new Promise(() => {}), late);
    await jest.advanceTimersByTimeAsync(100);
    await closing;
    expect(said).toEqual(['stopping: queues and database did not close in time; the process ends without']);
  });

  it('what is still at work a second after everything is closed is ended with the code', () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => {}) as never);
    exitSoon(3);
    jest.advanceTimersByTime(999);
    expect(exit.mock.calls).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(exit.mock.calls).toEqual([[3]]);
  });

  it('an error that nothing handles is one line of the log and ends the process, and so is what Node warns of', () => {
    const from = Object.assign(new EventEmitter(), { env: { NODE_DEBUG: 'http' }, exit: jest.fn() });
    const warned = jest.fn();
    from.on('warning', warned);
    const said: unknown[] = [];
    const log = { fatal: (...line: unknown[]) => said.push(line), warn: (...line: unknown[]) => said.push(line) };
    logProcessMessages(log as never, from as never);
    const error = new Error('x');
    from.emit('uncaughtException', error, 'unhandledRejection');
    from.emit('warning', error);
    expect([from.exit.mock.calls, warned.mock.calls]).toEqual([[[1]], []]);
    expect(said).toEqual([
      [{ parts: 'http' }, expect.stringMatching(/^NODE_DEBUG is set: .* Unset it\.$/)],
      [{ err: error, origin: 'unhandledRejection' }, 'an error that nothing handles: the process ends'],
      [{ err: error }, 'Node warns'],
    ]);
    logProcessMessages(log as never, Object.assign(new EventEmitter(), { env: {}, exit: jest.fn() }) as never);
    expect(said).toHaveLength(3);
  });
});
