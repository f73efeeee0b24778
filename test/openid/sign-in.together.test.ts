// The tests of `openid/sign-in`, in one copy of its modules (`test/support/jest/together.ts`).

import './sign-in/fictional-people.test.ts';
import './sign-in/finished-sign-ins.test.ts';
import './sign-in/hostile-forms.test.ts';
import './sign-in/describe-interaction.test.ts';
import './sign-in/kept-address.test.ts';
import './sign-in/kept-and-failed.test.ts';
import './sign-in/known-browsers.test.ts';
import './sign-in/login-page.test.ts';
import './sign-in/login-sequence.test.ts';
import './sign-in/login.test.ts';
import './sign-in/pages-by-state.test.ts';
import './sign-in/pages.test.ts';
import './sign-in/parallel-answers.test.ts';
import './sign-in/passkey-offer.test.ts';
import './sign-in/passkey-pages.test.ts';
import './sign-in/passkey-registration.test.ts';
import './sign-in/passkeys.test.ts';
import './sign-in/passwords.test.ts';
import './sign-in/recorded.test.ts';
import './sign-in/second-factor-attacks.test.ts';
import './sign-in/second-factor.test.ts';
import './sign-in/select-account.test.ts';
import './sign-in/step-pages.test.ts';
import './sign-in/throttle.test.ts';
import './sign-in/workspace.test.ts';
