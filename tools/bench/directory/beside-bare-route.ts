// A search of the directory beside a bare Express route that sends the bytes of one of its answers.

import type { Cleanup } from '#tools/site/cleanup.ts';
import { type Choices, type Compared, compare, comparedOf } from '#tools/site/load.ts';
import { residentOf } from '#tools/site/proc.ts';
import { atFullSpeed, type Target } from './drive.ts';
import { startBareRoute } from './serving.ts';
import { grouped } from './table.ts';

export const PARALLEL = 8;

export async function compareToBareRoute(
  what: string,
  target: Target,
  { seconds, rounds }: Omit<Choices, 'parallel'>,
  cleanup: Cleanup,
): Promise<Compared> {
  const bare = await startBareRoute(target, cleanup);
  await atFullSpeed(bare, seconds / 2, PARALLEL);
  const result = await compare(
    rounds,
    () => atFullSpeed(target, seconds, PARALLEL),
    () => atFullSpeed(bare, seconds, PARALLEL),
  );
  const names = ['Hygie', `bare Express route, ${grouped(bare.bytes)} bytes`] as const;
  return comparedOf(what, names, result, residentOf(target.pid));
}
