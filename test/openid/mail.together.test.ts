// The tests of `openid/mail`, in one copy of its modules (`test/support/jest/together.ts`).

import './mail/mail-queue.test.ts';
import './mail/notices.test.ts';
import './mail/smtp.test.ts';
import './mail/whole-mails.test.ts';
import './mail/worker.test.ts';
