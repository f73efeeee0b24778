// Lets a long command run at a lower priority than the service.

import { constants, getPriority, setPriority } from 'node:os';

/** Lowers the priority of this process and of the threads it starts from now on. */
export function lowerPriority(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}
