// The tests of `tools`, in one copy of its modules (`test/support/jest/together.ts`).

import './tools/oracle.test.ts';
import './tools/proof.test.ts';
import './tools/slope.test.ts';
