// The tests of `relying-parties`, in one copy of its modules (`test/support/jest/together.ts`).

import './relying-parties/auth-core.test.ts';
import './relying-parties/server-libraries.test.ts';
