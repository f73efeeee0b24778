// The routes of the account pages, on which people manage their own account.

import { type Request, type Response, Router } from 'express';
import { refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { rememberLanguage } from '#web/language.ts';
import { sendActivity } from './activity/activity.ts';
import { revokeConsent, sendApplications } from './applications/applications.ts';
import { answerEmail, showEmail } from './email/email.ts';
import { errorHandler } from './errors.ts';
import {
  type AccountContext,
  type AccountOptions,
  accountContext,
  PAGES,
  type PageName,
  pathOf,
} from './page-context.ts';
import { saveProfile, sendEditPage } from './profile/edit-profile.ts';
import {
  downloadData,
  requestDeletion,
  sendDataPage,
  sendDeletionPage,
  sendWithdrawalPage,
  withdrawDeletion,
} from './profile/own-data.ts';
import { sendProfile, welcome } from './profile/profile-page.ts';
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
import {
  askToSignOut,
  endOtherSessions,
  endSession,
  sendOtherSessionsPage,
  sendSessions,
  signOut,
} from './sessions/sessions.ts';
import {
  ANEW,
  FRESH,
  type LoginDemand,
  OWN_ACCOUNT,
  requireLogin,
  SIGNED_IN,
  signInCallback,
} from './sign-in/require-login.ts';

type AccountHandler = (context: AccountContext) => Promise<void>;

/** Returns the router for `ACCOUNT_PATH`. It leaves requests for unknown paths to the next handler. */
export function accountRouter(options: AccountOptions): Router {
  const { site, session } = options;
  const ownPages = refuseCrossSite(site.origin);
  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/signed-in', session, signInCallback(options));

  const handled = (name: PageName, handle: AccountHandler) => (req: Request, res: Response) =>
    handle(accountContext(options, name, req, res));
  const page = (name: PageName, demand: LoginDemand, show: AccountHandler, answer?: AccountHandler) => {
    const login = requireLogin(options, name, demand);
    router.get(PAGES[name] || '/', session, login, handled(name, show));
    // `login` comes before `parseForm`, so that the service reads a request body only if a person is signed in. It comes again after it,
    // because the sign-in may have ended while a browser sent the body slowly (SEC-55).
    if (answer) router.post(PAGES[name], ownPages, session, login, parseForm, login, handled(name, answer));
  };

  page('profile', SIGNED_IN, sendProfile);
  page('welcome', ANEW, welcome('welcome'));
  page('newPassword', ANEW, welcome('password-changed'));
  page('workspace', OWN_ACCOUNT, sendWorkspacePage, saveWorkspace);
  page('email', FRESH, showEmail, answerEmail);
  page('editProfile', OWN_ACCOUNT, sendEditPage, saveProfile);
  page('data', FRESH, sendDataPage, downloadData);
  page('deletion', FRESH, sendDeletionPage, requestDeletion);
  page('withdrawDeletion', OWN_ACCOUNT, sendWithdrawalPage, withdrawDeletion);
  page('security', SIGNED_IN, sendSecurity);
  page('password', FRESH, sendPasswordPage, changePassword);
  page('passkeys', FRESH, sendPasskeysPage, answerPasskeys);
  page('secondFactor', FRESH, sendSetUpPage, setUpSecondFactor);
  page('recoveryCodes', FRESH, sendRenewalPage, renewRecoveryCodes);
  page('savedCodes', SIGNED_IN, sendSavedPage, confirmSaved);
  page('removal', FRESH, sendRemovalPage, removeSecondFactor);
  page('applications', OWN_ACCOUNT, sendApplications, revokeConsent);
  // These two pages demand an account that is not shared (`OWN_ACCOUNT`). In a sandbox, visitors share the accounts, so the pages would
  // show the sessions of other visitors and let people end them.
  page('sessions', OWN_ACCOUNT, sendSessions, endSession);
  page('activity', OWN_ACCOUNT, sendActivity);
  page('otherSessions', FRESH, sendOtherSessionsPage, endOtherSessions);
  page('signOut', SIGNED_IN, askToSignOut, signOut);

  router.use(errorHandler(options, () => pathOf(site, 'profile')));
  return router;
}
