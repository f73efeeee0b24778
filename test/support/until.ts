// Waits for what happens by itself within seconds, and fails with what did not. Never a fixed time.

import { setTimeout } from 'node:timers/promises';

/**
 * Resolves once the condition holds, looked at every so often: at first every 10 ms, and more seldom the longer it takes. Rejects after thirty
 * seconds with what was waited for.
 */
export async function until(
  condition: () => Promise<boolean> | boolean,
  what: string,
  everyMs?: number,
): Promise<void> {
  const late = Date.now() + 30_000;
  for (let pause = 10; !(await condition()); pause = Math.min(pause * 1.2, 50)) {
    if (Date.now() > late) throw new Error(`did not happen within thirty seconds: ${what}`);
    await setTimeout(everyMs ?? pause);
  }
}
