// What was logged last is written when the process ends, an audit record's line among it; and it is only text.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createLog } from '#shared/log/log.ts';

const LOG = fileURLToPath(new URL('../../../src/shared/log/log.ts', import.meta.url));

it('a process that has nothing more to do loses no line of its log', async () => {
  // The one thread for writes that others carry out is busy: such a write would not begin before the end.
  const script = `
    const { pbkdf2 } = await import('node:crypto');
    const { createLog } = await import(${JSON.stringify(LOG)});
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

it('no text from outside drives the terminal of who reads the log, or ends a line', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'pretty' }, { write: (line: string) => void lines.push(line) });
  const hostile = '\u001b[2J\u009b2J\u0085\u007f\r\n\u0000';
  log.info({ scopes: [hostile], description: hostile }, hostile);
  log.error({ err: new Error(hostile) }, 'failed');
  const text = lines.join('');
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('\\x9b2J');
});
