// Waits for what happens by itself within seconds, and fails with what did not. Never a fixed time.

import { setTimeout } from 'node:timers/promises';

/** Resolves once the condition holds, looked at every so often; rejects after thirty seconds with what was waited for. */
export async function until(condition: () => Promise<boolean> | boolean, what: string, everyMs = 10): Promise<void> {
  const late = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > late) throw new Error(`did not happen within thirty seconds: ${what}`);
    await setTimeout(everyMs);
  }
}
