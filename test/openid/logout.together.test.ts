// The tests of `openid/logout`, in one copy of its modules (`test/support/jest/together.ts`).

import './logout/backchannel-logout.test.ts';
import './logout/backchannel-sender.test.ts';
import './logout/logout-worker.test.ts';
import './logout/sign-out-by-hint.test.ts';
import './logout/sign-out-rules.test.ts';
import './logout/sign-out.test.ts';
