// The priority of a test's process, which commands lower for long work. It would stay low for all tests that follow.

import { getPriority, setPriority } from 'node:os';

/** Returns a function that sets the priority back to what it is now. */
export function keptPriority(): () => void {
  const priority = getPriority();
  return () => {
    // Only root may raise it. Others run what follows at the lower one.
    if (getPriority() > priority && process.getuid?.() === 0) setPriority(priority);
  };
}
