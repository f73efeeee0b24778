// The tests of `server/instances`, in one copy of its modules (`test/support/jest/together.ts`).

import './instances/clients-and-clock.test.ts';
import './instances/instances.test.ts';
