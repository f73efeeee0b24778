// Every operation of the load.

import { account } from './account.ts';
import { directory } from './directory.ts';
import type { Operation } from './operation.ts';
import { refused } from './refused.ts';
import { signIns } from './sign-ins.ts';
import { tokens } from './tokens.ts';

export const OPERATIONS: readonly Operation[] = [...signIns, ...tokens, ...directory, ...account, ...refused];
