// Operations: a signal ends an import, which says so; not while the directory is switched.

import { afterEach, describe, expect, it } from '@jest/globals';
import { listenForInterruption } from '#cli/directory/import.ts';
import type { Phase } from '#import/collect/progress.ts';

const done: unknown[] = [];
let listener: ReturnType<typeof listenForInterruption> | undefined;
const signalIn = (phase: Phase) => {
  done.length = 0;
  listener = listenForInterruption(
    () => done.push('last words'),
    (code) => done.push(code),
  );
  listener.check(phase);
  process.emit('SIGTERM', 'SIGTERM');
  return listener;
};
afterEach(() => listener?.end());

describe('operations: an import that is interrupted', () => {
  it('ends at its next step', () => {
    const { check } = signalIn('people');
    expect(done).toEqual([]);
    expect(() => check('structures')).toThrow('Interrupted: the directory is unchanged.');
  });

  it('ends at once, but with its judgement, while the index is finished', () => {
    signalIn('indexing');
    expect(done).toEqual(['last words', 130]);
  });

  it('goes on where the directory is being switched', () => {
    signalIn('switching');
    expect(done).toEqual([]);
  });
});
