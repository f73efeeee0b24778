// Chooses the edition to measure: one that is given, one of a generator, or the shipped one.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { ROOT, stop } from '#tools/site/processes.ts';
import type { Options } from './options.ts';

export interface Edition {
  folder: string;
  /** The edition after it. */
  next?: string;
  /** What it is, for the table. */
  label: string;
}

/** Finds or makes the edition; a generated one stands under `temporary`. `renewed`: a next one is wanted too. */
export async function chooseEdition(
  options: Options,
  { temporary, renewed, cleanup }: { temporary: string; renewed: boolean; cleanup: Cleanup },
): Promise<Edition> {
  const { data, next, generator, practitioners } = options;
  if (data !== undefined) return { folder: data, label: 'the files given', ...(next !== undefined && { next }) };
  if (!generator) {
    const folder = join(ROOT, 'seeds', 'edition');
    return { folder, label: 'the shipped edition (small: no measure of scale)', ...(next !== undefined && { next }) };
  }
  const folder = join(temporary, 'edition');
  const following = join(temporary, 'next-edition');
  const size = ['--practitioners', String(practitioners), '--seed', '7'];
  await run([...generator, ...size, '--out', folder], cleanup);
  if (renewed && next === undefined) await run([...generator, ...size, '--day', '1', '--out', following], cleanup);
  return { folder, label: `generated, ${practitioners} people asked for`, ...(renewed && { next: next ?? following }) };
}

function run([command = '', ...args]: readonly string[], cleanup: Cleanup): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  cleanup.later(() => stop(child));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))));
  });
}
