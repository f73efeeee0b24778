// The tests of `openid/keys`, in one copy of its modules (`test/support/jest/together.ts`).

import './keys/key-changes.test.ts';
import './keys/key-ring.test.ts';
import './keys/key-rotation.test.ts';
