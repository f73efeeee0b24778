// Every fault, in the order in which it is made.

import { BOTH, type Fault, PAIR, type Refused } from '#tools/faults/fault.ts';
import { certificates } from './certificates.ts';
import { clocks } from './clock.ts';
import { databases } from './database.ts';
import { disks } from './disk.ts';
import { files, unreadable } from './files.ts';
import { mails } from './mail.ts';
import { pairs } from './pair.ts';
import { processes } from './processes.ts';
import { starts } from './starts.ts';

/** What the others are compared with, and whether the load itself is right. */
const none: Fault = {
  name: 'none',
  how: 'nothing',
  on: [...BOTH, ...PAIR],
  seconds: 3,
  ready: 200,
  make: () => {},
  mend: () => {},
};

export const FAULTS: readonly Fault[] = [
  none,
  ...processes,
  ...databases,
  ...disks,
  ...mails,
  ...files,
  ...certificates,
  ...clocks,
  ...pairs,
];
export const REFUSED: readonly Refused[] = [...unreadable, ...starts];
