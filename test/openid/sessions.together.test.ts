// The tests of `openid/sessions`, in one copy of its modules (`test/support/jest/together.ts`).

import './sessions/parallel-writes.property.test.ts';
import './sessions/session-ends.test.ts';
import './sessions/session-rules.test.ts';
import './sessions/session-storage.test.ts';
import './sessions/sessions-not-before.test.ts';
import './sessions/sign-in-sessions.test.ts';
