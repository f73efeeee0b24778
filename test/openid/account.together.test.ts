// The tests of `openid/account`, in one copy of its modules (`test/support/jest/together.ts`).

import './account/account-sign-in.test.ts';
import './account/activity-list.test.ts';
import './account/applications.test.ts';
import './account/behind-proxy.test.ts';
import './account/factor-forms.test.ts';
import './account/links/email-and-invitation.test.ts';
import './account/links/enumeration.test.ts';
import './account/links/link-pages.test.ts';
import './account/links/reset.test.ts';
import './account/notices.test.ts';
import './account/pages-by-state.test.ts';
import './account/passkey-attestation.test.ts';
import './account/passkey-forms.test.ts';
import './account/password-and-sessions.test.ts';
import './account/profile-data.test.ts';
import './account/profile-forms.test.ts';
import './account/profile.test.ts';
import './account/require-login.test.ts';
import './account/second-factor.test.ts';
import './account/session-list.test.ts';
import './account/sessions.test.ts';
import './account/sign-in.test.ts';
import './account/sign-out-and-errors.test.ts';
import './account/space-pages.test.ts';
import './account/two-instances.test.ts';
