// The tests of `directory`, in one copy of its modules (`test/support/jest/together.ts`).

import './directory/read.test.ts';
import './directory/router.test.ts';
