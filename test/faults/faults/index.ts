// Every fault, in the order in which it is made.

import { BOTH, type Fault, type Refused } from '../fault.ts';
import { databases } from './database.ts';
import { disks } from './disk.ts';
import { processes } from './processes.ts';

/** What the others are compared with, and whether the load itself is right. */
const none: Fault = {
  name: 'none',
  how: 'nothing',
  engines: BOTH,
  seconds: 3,
  ready: 200,
  make: () => {},
  mend: () => {},
};

export const FAULTS: readonly Fault[] = [none, ...processes, ...databases, ...disks];
export const REFUSED: readonly Refused[] = [];
