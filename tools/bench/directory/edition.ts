// Chooses the edition to measure: one that is given, one of a generator, or the shipped one.

import { join } from 'node:path';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { ROOT, run } from '#tools/site/processes.ts';
import type { Options } from './options.ts';

export interface Edition {
  folder: string;
  /** The edition after it. */
  next?: string;
  /** Its name in the table. */
  label: string;
}

/** Finds or makes the edition; a generated one stands under `temporary`. With `renewed` it makes the next one, too. */
export async function chooseEdition(
  options: Options,
  { temporary, renewed, cleanup }: { temporary: string; renewed: boolean; cleanup: Cleanup },
): Promise<Edition> {
  const { data, next, generator, practitioners } = options;
  const given = next !== '' && { next };
  if (data !== '') return { folder: data, label: 'the files given', ...given };
  if (generator.length === 0) {
    const folder = join(ROOT, 'seeds', 'edition');
    return { folder, label: 'the shipped edition (small: no measure of scale)', ...given };
  }
  const folder = join(temporary, 'edition');
  const following = join(temporary, 'next-edition');
  const size = ['--practitioners', String(practitioners), '--seed', '7'];
  await write([...generator, ...size, '--geo', '--out', folder], cleanup);
  if (renewed && next === '') await write([...generator, ...size, '--geo', '--day', '1', '--out', following], cleanup);
  return { folder, label: `generated, ${practitioners} people asked for`, ...(renewed && { next: next || following }) };
}

async function write([program = '', ...args]: readonly string[], cleanup: Cleanup): Promise<void> {
  const { code, stderr } = await run(program, args, { cleanup }).ended;
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
}
