// Assembles the account pages, on which people manage their own account.

import type { RequestHandler } from 'express';
import type { Provider } from 'oidc-provider';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import { createAccountSessions } from '#openid/sessions/account-sessions.ts';
import { sendSessionCookie } from '#openid/sessions/session-cookie.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import { createAllowedApplications } from './applications/allowed-applications.ts';
import type { AccountOptions } from './page-context.ts';
import { accountRouter } from './router.ts';
import { createAccountSignIn } from './sign-in/account-sign-in.ts';
import { pendingSignIns } from './sign-in/pending-sign-ins.ts';

interface AccountPagesOptions
  extends Parts,
    Pick<AccountOptions, 'checkCode' | 'changePassword' | 'chooseWorkspace' | 'passkeyRegistration' | 'session'> {
  provider: Provider;
  /** Keys of cookies. The first key signs and seals new cookies. All keys verify and open existing cookies. */
  cookieKeys: readonly string[];
}

/** Makes the handler of all requests below `ACCOUNT_PATH`. */
export function createAccountPages(options: AccountPagesOptions): RequestHandler {
  const { provider, site, settings, accounts, cookieKeys } = options;
  const cookie = sealedCookie(COOKIES.accountSignIn, cookieKeys, site.secure);
  return accountRouter({
    ...options,
    signIn: createAccountSignIn(options),
    pending: pendingSignIns(cookie, site, settings.lifetimes.interaction),
    applications: createAllowedApplications(options),
    sessions: createAccountSessions(options),
    forgetSession: (req, res) => sendSessionCookie(provider, req, res, null),
    endOtherSessions: async ({ accountId, sessionUid }, req, res) => {
      const ended = await accounts.endSessions([accountId], sessionUid, OWN_CLIENT_ID).catch((error) => {
        if (!(error instanceof SessionGone)) throw error;
      });
      if (!ended?.renewed) return undefined;
      sendSessionCookie(provider, req, res, ended.renewed.id);
      return { sessions: ended.sessions, sessionUid: ended.renewed.uid };
    },
  });
}
