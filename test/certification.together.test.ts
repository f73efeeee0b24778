// The tests of `certification`, in one copy of its modules (`test/support/jest/together.ts`).

import './certification/basic.test.ts';
import './certification/basic-requests.test.ts';
import './certification/discovery.test.ts';
import './certification/logout.test.ts';
