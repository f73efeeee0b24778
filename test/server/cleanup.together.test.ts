// The tests of `server/cleanup`, in one copy of its modules (`test/support/jest/together.ts`).

import './cleanup/cleanup.test.ts';
import './cleanup/schedule.test.ts';
