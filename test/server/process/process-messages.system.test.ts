// SEC-17: what Node itself says of a process is in the log, masked, and nowhere else.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { installation } from '#support/cli/hygie.ts';

const from = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
const START = `
  const { createLog } = await import(${from('shared/log/log.ts')});
  const { logProcessMessages } = await import(${from('server/process/process-messages.ts')});
  logProcessMessages(createLog({ level: 'info', format: 'json' }));`;

/** What a process of this code writes to its two outputs, and its exit code. */
function run(code: string, env: Record<string, string> = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', START + code], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  return {
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    stdout,
    stderr,
    status,
  };
}

it('SEC-17 a promise that nobody awaited is one masked line, and ends the process with 1', () => {
  const secret = randomBytes(12).toString('hex');
  const { lines, stdout, stderr, status } = run(
    `process.emitWarning('token=${secret}');
     setImmediate(() => Promise.reject(Object.assign(new Error('postgres://u:${secret}@db/x\\nnext'), { password: '${secret}' })));`,
    { NODE_DEBUG: 'none-of-them' },
  );
  expect([status, stderr]).toEqual([1, '']);
  expect(stdout).not.toContain(secret);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', expect.stringMatching(/^NODE_DEBUG is set/)],
    ['warn', 'Node warns'],
    ['fatal', 'an error that nothing handles: the process ends'],
  ]);
  expect(lines[2]).toMatchObject({ origin: 'unhandledRejection', err: { type: 'Error', stack: expect.any(String) } });
});

it('SEC-17 DEBUG makes no library print statements with their values', async () => {
  const place = installation();
  const { code, stderr } = await place.hygie(['migrate'], { env: { DEBUG: '*' } });
  place.remove();
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/knex:|express:/);
});
