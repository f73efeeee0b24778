// A person's own space, route by route.

import { type Request, type Response, Router } from 'express';
import { refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { rememberLanguage } from '#web/language.ts';
import { sendActivity } from './activity/activity.ts';
import { sendApplications } from './applications/applications.ts';
import { revokeConsent } from './applications/revoke-consent.ts';
import { answerEmail, showEmail } from './email/email.ts';
import { errorHandler } from './errors.ts';
import { type AccountOptions, PAGES, type PageContext, type PageName, pageContext, pathOf } from './page-context.ts';
import { requestDeletion, sendDeletionPage, sendWithdrawalPage, withdrawDeletion } from './profile/deletion.ts';
import { saveProfile, sendEditPage } from './profile/edit-profile.ts';
import { downloadData, sendDataPage } from './profile/personal-data.ts';
import { sendProfile } from './profile/profile-page.ts';
import { saveWorkspace, sendWorkspacePage } from './profile/workspace.ts';
import { answerPasskeys, sendPasskeysPage } from './security/passkeys.ts';
import { changePassword, sendPasswordPage } from './security/password.ts';
import {
  confirmSaved,
  removeSecondFactor,
  renewRecoveryCodes,
  sendRemovalPage,
  sendRenewalPage,
  sendSavedPage,
  sendSetUpPage,
  setUpSecondFactor,
} from './security/second-factor.ts';
import { sendSecurity } from './security/security.ts';
import { endOtherSessions, sendOtherSessionsPage } from './sessions/end-other-sessions.ts';
import { endSession, sendSessions } from './sessions/sessions.ts';
import { requireFreshLogin, requireLogin, requireOwnAccount, signInCallback } from './sign-in/require-login.ts';

type Handle = (context: PageContext) => Promise<void>;
interface PageHandlers {
  show: Handle;
  answer?: Handle;
}
type RequireLogin = typeof requireLogin;

/** Mount it at `ACCOUNT_PATH`. Other addresses are passed on. */
export function accountRouter(options: AccountOptions): Router {
  const { site, session } = options;
  const ownPages = refuseCrossSite(site.origin);
  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/signed-in', session, signInCallback(options));

  const handled = (name: PageName, handle: Handle) => (req: Request, res: Response) =>
    handle(pageContext(options, name, req, res));
  const page = (name: PageName, login: RequireLogin, { show, answer }: PageHandlers) => {
    router.get(PAGES[name] || '/', session, login(options, name), handled(name, show));
    // Bodies from strangers are not read.
    if (answer) router.post(PAGES[name], ownPages, session, login(options, name), parseForm, handled(name, answer));
  };

  page('profile', requireLogin, { show: sendProfile });
  page('workspace', requireOwnAccount, { show: sendWorkspacePage, answer: saveWorkspace });
  page('email', requireFreshLogin, { show: showEmail, answer: answerEmail });
  page('editProfile', requireOwnAccount, { show: sendEditPage, answer: saveProfile });
  page('data', requireFreshLogin, { show: sendDataPage, answer: downloadData });
  page('deletion', requireFreshLogin, { show: sendDeletionPage, answer: requestDeletion });
  page('withdrawDeletion', requireOwnAccount, { show: sendWithdrawalPage, answer: withdrawDeletion });
  page('security', requireLogin, { show: sendSecurity });
  page('password', requireFreshLogin, { show: sendPasswordPage, answer: changePassword });
  page('passkeys', requireFreshLogin, { show: sendPasskeysPage, answer: answerPasskeys });
  page('secondFactor', requireFreshLogin, { show: sendSetUpPage, answer: setUpSecondFactor });
  page('recoveryCodes', requireFreshLogin, { show: sendRenewalPage, answer: renewRecoveryCodes });
  page('savedCodes', requireLogin, { show: sendSavedPage, answer: confirmSaved });
  page('removal', requireFreshLogin, { show: sendRemovalPage, answer: removeSecondFactor });
  page('applications', requireOwnAccount, { show: sendApplications, answer: revokeConsent });
  // For a sandbox's shared people, these pages would show and end the sessions of other visitors.
  page('sessions', requireOwnAccount, { show: sendSessions, answer: endSession });
  page('activity', requireOwnAccount, { show: sendActivity });
  page('otherSessions', requireFreshLogin, { show: sendOtherSessionsPage, answer: endOtherSessions });

  router.use(errorHandler(options, () => pathOf(site, 'profile')));
  return router;
}
