// The tests of `server`, in one copy of its modules (`test/support/jest/together.ts`).

import './server/app.test.ts';
import './server/database-remedy.test.ts';
import './server/notify-operator.test.ts';
import './server/open-mail.test.ts';
import './server/page-weight.test.ts';
import './server/proxies.test.ts';
import './server/sandbox-accounts.test.ts';
import './server/sandbox.test.ts';
import './server/staging-folder.test.ts';
