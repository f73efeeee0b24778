// Faults: a log that cannot be written, because the disk is full, ends no process and holds up no exit; what is missing is said afterwards. What was logged
// last is written when the process ends, an audit record's line among it.

import { type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { newFolder } from '#support/new-folder.ts';

const source = (name: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../../src/shared/log/${name}`, import.meta.url)));

function run(script: string, stdout?: number) {
  const stdio: StdioOptions = ['ignore', stdout ?? 'ignore', 'pipe'];
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio,
    encoding: 'utf8',
    timeout: 15_000,
  });
}

it.each(['json', 'pretty'])('a full disk below the log (%s): the process works on, and ends', (format) => {
  const { status, stderr } = run(
    `const { createLog } = await import(${source('log.ts')});
     const log = createLog({ level: 'info', format: '${format}' });
     log.info('x'.repeat(70_000));
     setTimeout(() => { log.info('more'); process.stderr.write('works on'); }, 50);`,
    openSync('/dev/full', 'w'),
  );
  expect([status, stderr]).toEqual([0, 'works on']);
});

it('when there is room again, the lines that waited are written, and what is missing is said', () => {
  const folder = newFolder();
  const file = JSON.stringify(join(folder, 'log'));
  // A descriptor that is closed fails as a full disk does, until a file has its number.
  const { status, stderr } = run(
    `const { openSync, closeSync } = await import('node:fs');
     const { together } = await import(${source('standard-output.ts')});
     const fd = openSync(${file}, 'a');
     closeSync(fd);
     const output = together(fd);
     output.write('early\\n'.padStart(70_000));
     for (let line = 0; line < 90; line += 1) output.write('late\\n'.padStart(50_000));
     setTimeout(() => { if (openSync(${file}, 'a') !== fd) throw new Error('another number'); }, 50);
     setTimeout(() => {}, 1800);`,
  );
  expect([status, stderr]).toEqual([0, '']);
  const lines = readFileSync(join(folder, 'log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim());
  expect(lines.slice(0, 2)).toEqual(['early', 'late']);
  const missing = 91 - lines.filter((line) => line === 'early' || line === 'late').length;
  expect(missing).toBeGreaterThan(0);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'warn', code: 'EBADF', missing });
});

it('a command whose data do not fit says so and ends with 1; a service goes on without its notices', () => {
  const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
  const full = openSync('/dev/full', 'w');
  const command = spawnSync(process.execPath, [main, '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect([command.status, command.stderr]).toEqual([
    1,
    expect.stringMatching(/^Standard output cannot be written \(ENOSPC\).*\nRemedy: /),
  ]);
  const unheard = spawnSync(process.execPath, [main, 'no-such-command'], {
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  expect(unheard.status).toBe(2);
});

it('a process that has nothing more to do loses no line of its log', async () => {
  // The one thread for writes that others carry out is busy: such a write would not begin before the end.
  const script = `
    const { pbkdf2 } = await import('node:crypto');
    const { createLog } = await import(${source('log.ts')});
    const log = createLog({ level: 'info', format: 'json' });
    for (let line = 0; line < 5; line += 1) log.info({ line }, 'a line');
    process.prependListener('exit', () => pbkdf2('', '', 100_000, 32, 'sha512', () => {}));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  await new Promise((resolve) => child.on('close', resolve));
  const lines = text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual([0, 1, 2, 3, 4]);
});
