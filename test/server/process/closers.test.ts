// Operations: what a start opened is closed again, the last part first, also when the start fails half-way.

import { expect, it } from '@jest/globals';
import { openWithClosers } from '#server/process/closers.ts';

it('closes the parts in the opposite order, waits for each, and goes on after one that fails', async () => {
  const closed: string[] = [];
  const opened = await openWithClosers(async (closers) => {
    closers.add(() => closed.push('database'));
    closers.add(() => Promise.reject(new Error('queue')));
    closers.add(async () => {
      await new Promise(setImmediate);
      closed.push('timer');
    });
    return { close: closers.close };
  });
  await expect(opened.close()).rejects.toThrow('queue');
  expect(closed).toEqual(['timer', 'database']);
});

it('closes what was open when the start fails, and reports the failure of the start', async () => {
  const closed: string[] = [];
  const start = openWithClosers(async (closers) => {
    closers.add(() => closed.push('database'));
    closers.add(() => Promise.reject(new Error('queue')));
    throw new Error('no keys');
  });
  await expect(start).rejects.toThrow('no keys');
  expect(closed).toEqual(['database']);
});
