// The tests of `openid`, in one copy of its modules (`test/support/jest/together.ts`).

import './openid/clients.together.test.ts';
import './openid/keys.together.test.ts';
import './openid/logout.together.test.ts';
import './openid/mail.together.test.ts';
import './openid/sessions.together.test.ts';
import './openid/statements.test.ts';
