// The end of a process is bounded once its requests were cut off, whatever still keeps it busy.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, jest } from '@jest/globals';
import { closeWithin } from '#server/process/closing.ts';

it('what does not close is left after the time, with a line in the log; what does is not spoken of', async () => {
  const log = { error: jest.fn() };
  await closeWithin(60_000, Promise.resolve(), log as never);
  await expect(closeWithin(60_000, Promise.reject(new Error('broken')), log as never)).rejects.toThrow('broken');
  expect(log.error).not.toHaveBeenCalled();
  await closeWithin(1, new Promise(() => {}), log as never);
  expect(log.error).toHaveBeenCalledTimes(1);
});

it('a process that has closed ends, though work of requests that were cut off is under way', async () => {
  const file = new URL('../../../src/server/process/closing.ts', import.meta.url).href;
  const busy = `setInterval(() => {}, 1000); (await import('${file}')).exitSoon(7, 1);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', busy], { stdio: 'ignore' });
  try {
    expect(await once(child, 'exit')).toEqual([7, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
