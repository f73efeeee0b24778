// Runs the suite in random orders of its files, and of the tests within each, with one, two and four workers in turn: `npm run orders --
// --seeds 1,2,3 -- test/openid` for some seeds and files. Without seeds there are five new ones. Prints how each order ended and what
// failed in it; a seed leads to the same order again.

import '#support/script-help.ts';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const WORKERS = [1, 2, 4];

const { values, positionals } = parseArgs({ options: { seeds: { type: 'string' } }, allowPositionals: true });
const seeds = values.seeds?.split(',').map(Number) ?? Array.from({ length: 5 }, () => randomInt(1, 2 ** 31));

/** Resolves with what Jest wrote. */
function run(seed: number, workers: number): Promise<string> {
  const order = [
    '--testSequencer',
    join(import.meta.dirname, 'sequencer.ts'),
    '--randomize',
    `--seed=${seed}`,
    `--maxWorkers=${workers}`,
  ];
  const child = spawn('npm', ['test', '--', ...order, ...positionals], {
    cwd: ROOT,
    env: { ...process.env, ORDER_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve(output)));
}

for (const [index, seed] of seeds.entries()) {
  const workers = WORKERS[index % WORKERS.length] ?? 1;
  const output = await run(seed, workers);
  const line = /^\d+ passed, (\d+) failed, \d+ skipped$/m.exec(output);
  process.stdout.write(`seed ${seed}, ${workers} workers: ${line?.[0] ?? `no result\n${output.slice(-2000)}`}\n`);
  const failed = new Set(output.match(/^(?:FAIL .*|Refused: .*| {2}● .*|A worker process has failed to exit.*)$/gm));
  for (const what of failed) process.stdout.write(`  ${what.trim()}\n`);
  if (line?.[1] !== '0') process.exitCode = 1;
}
