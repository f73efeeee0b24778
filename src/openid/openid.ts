// The OpenID half of the service: the provider, the sign-in pages, the account pages and the pages behind links of mails. All are built
// with the current keys, and built again when the keys change. The new provider and pages use the same records as the old ones, so sign-ins
// in progress go on. The head of `provider/configuration.ts` describes the steps of an authorization request.

import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import type { Store } from 'express-session';
import type { Provider } from 'oidc-provider';
import { ACCOUNT_PATH } from '#config/built-in-clients.ts';
import { createChooseWorkspace } from '#store/accounts/links/links-in-force.ts';
import type { Delivery } from '#store/outbox/logout-deliveries.ts';
import { COOKIES } from '#web/http/cookies.ts';
import { pageSessions } from '#web/http/page-session.ts';
import { createAccountPages } from './account/account-pages.ts';
import { linkRouter } from './account/links/router.ts';
import { createClientThrottle, createSecretCheck } from './clients/client-secret-check.ts';
import type { ProviderKeys } from './keys/key-plan.ts';
import type { KeyRing } from './keys/key-ring.ts';
import { type LogoutToken, logoutToken } from './logout/backchannel-logout.ts';
import type { Parts } from './parts.ts';
import { keepPublicDocuments } from './provider/discovery.ts';
import { createProviderPages } from './provider/pages.ts';
import { createProvider } from './provider/provider.ts';
import { SIGN_IN_PATH } from './routes.ts';
import { createChangePassword } from './sign-in/new-password/new-password.ts';
import { createSignInPasskeys } from './sign-in/passkey/passkey-check.ts';
import { createSignInPages } from './sign-in/router.ts';
import { createCodeCheck } from './sign-in/second-factor/second-factor.ts';
import { createThrottle } from './sign-in/throttle.ts';

interface OpenIdOptions extends Parts {
  keys: Pick<KeyRing, 'current' | 'onChange'>;
  /** Opens a session store. The sign-in pages and the account pages have a store each. */
  pageSessions: () => Store;
  /** Called with each new provider before it answers requests, so that the caller can listen to its events. */
  built(provider: Provider): void;
}

export interface OpenId {
  signIn: RequestHandler;
  account: RequestHandler;
  /** Answers the pages behind links of mails. */
  links: RequestHandler;
  /** Answers every OpenID endpoint. Answers 404 at every other address. */
  provider: RequestHandler;
  /** Makes the logout token for a client, signed with the keys in force. */
  logoutToken(delivery: Delivery): Promise<LogoutToken | undefined>;
}

export function createOpenId(options: OpenIdOptions): OpenId {
  const { site, settings, clients, hashing, isShared } = options;
  const throttle = createThrottle(options.signInLimiters, { full: hashing.tooManyPasswords, isShared });
  const choose = createChooseWorkspace(options);
  const parts = {
    ...options,
    throttle,
    checkSecret: createSecretCheck(clients, createClientThrottle(settings.limits), hashing),
    checkCode: createCodeCheck({ ...options, throttle }),
    changePassword: createChangePassword({ ...options, throttle }),
    // The place of work of a shared account never changes, because all visitors share the account.
    chooseWorkspace: async (accountId: string, workspaceId: string) =>
      isShared(accountId) ? ('unchanged' as const) : choose(accountId, workspaceId),
  };

  const build = (keys: ProviderKeys) => {
    const provider = createProvider({ ...parts, keys, pages: createProviderPages(site) });
    options.built(provider);
    const session = pageSessions(site, options.pageSessions, keys.cookies, settings.lifetimes.interaction);
    const ofKeys = { ...parts, provider, cookieKeys: keys.cookies };
    const signInPasskeys = createSignInPasskeys(ofKeys);
    const { registration: passkeyRegistration } = signInPasskeys ?? {};
    return {
      provider,
      signing: keys.signing,
      callback: keepPublicDocuments(notStored(provider.callback()), settings.keys.cachedFor),
      signIn: createSignInPages({ ...ofKeys, signInPasskeys, session: session(COOKIES.page, SIGN_IN_PATH) }),
      account: createAccountPages({ ...ofKeys, passkeyRegistration, session: session(COOKIES.account, ACCOUNT_PATH) }),
      links: linkRouter(ofKeys),
    };
  };
  let current = build(options.keys.current());
  options.keys.onChange((keys) => {
    current = build(keys);
  });
  return {
    signIn: (req, res, next) => current.signIn(req, res, next),
    account: (req, res, next) => current.account(req, res, next),
    links: (req, res, next) => current.links(req, res, next),
    provider: (req, res, next) => current.callback(req, res, next),
    logoutToken: (delivery) => logoutToken(current.provider, clients, current.signing, delivery),
  };
}

/** Forbids caches to store a response, even an error, unless the library sets another `Cache-Control` (RFC 6749 section 5.2). */
function notStored(callback: RequestListener): RequestHandler {
  return (req, res) => {
    res.setHeader('cache-control', 'no-store');
    callback(req, res);
  };
}
