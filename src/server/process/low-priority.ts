// Owns how a command lets others on the machine go first. Does not own which commands do.

import { constants, getPriority, setPriority } from 'node:os';

/** Lowers the priority of this process and of the threads it starts from here on; one that is lower already stays so. */
export function stepBack(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}
