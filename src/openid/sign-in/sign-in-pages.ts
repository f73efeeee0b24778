// Puts the sign-in pages together.

import type { RequestHandler } from 'express';
import type { Provider } from 'oidc-provider';
import type { Parts } from '#openid/parts.ts';
import { withCookiesOf } from '#openid/provider/storage/sealed-interactions.ts';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import { createChallenges } from '#shared/webauthn/challenges.ts';
import { relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import type { ChooseWorkspace } from '#store/accounts/links/choose-workspace.ts';
import { derivedTokens } from '#web/forms/csrf.ts';
import { arrivalCookie } from './arrival-cookie.ts';
import { createDeviceCookies } from './browsers/device-cookies.ts';
import { keptChoices } from './browsers/kept-choices.ts';
import { createInteractions } from './interactions.ts';
import { createAuthenticate, createStillRight } from './login/authenticate.ts';
import type { SignInOptions } from './page-context.ts';
import { createPasskeyCheck, type SignInPasskeys } from './passkey/passkey-check.ts';
import { createPasskeyRegistration } from './passkey/passkey-registration.ts';
import { signInRouter } from './router.ts';
import { countNewPasskey, type Throttle } from './throttle.ts';

interface SignInPagesOptions extends Parts, Pick<SignInOptions, 'checkCode' | 'changePassword' | 'session'> {
  provider: Provider;
  /** The first of them signs and seals, all of them count. */
  cookieKeys: readonly string[];
  throttle: Throttle;
  chooseWorkspace: ChooseWorkspace;
}

/** Answers below `SIGN_IN_PATH`. */
export function createSignInPages(options: SignInPagesOptions): RequestHandler {
  const { site, accounts, hashing, cookieKeys } = options;
  const router = signInRouter({
    ...options,
    interactions: createInteractions(options),
    authenticate: createAuthenticate(accounts, hashing),
    stillRight: createStillRight(accounts),
    arrivals: arrivalCookie(options),
    passkeys: passkeySignIn(options),
    devices: createDeviceCookies({
      path: `${site.base}${SIGN_IN_PATH}`,
      secure: site.secure,
      keys: cookieKeys,
      notBefore: async (login) => {
        const found = await accounts.findByEmail(login);
        return found && (found.account.sessionsNotBefore ?? 0);
      },
    }),
    kept: keptChoices(site, cookieKeys),
    csrfTokens: derivedTokens(cookieKeys),
    accountOf: async (login) => (await accounts.findByEmail(login))?.account.id,
  });
  return (req, res, next) => withCookiesOf(req, res, () => router(req, res, next));
}

function passkeySignIn(options: SignInPagesOptions): SignInPasskeys | undefined {
  const { settings, site, passkeys, accounts, isShared, cookieKeys, signInLimiters } = options;
  const relyingParty = relyingPartyOf(settings.issuer, site.name);
  if (!relyingParty) return undefined;
  const challenges = createChallenges(cookieKeys);
  const check = createPasskeyCheck({ ...options, relyingParty, challenges });
  const countTry = (accountId: string) => countNewPasskey(signInLimiters, accountId);
  return {
    relyingPartyId: relyingParty.id,
    challenges,
    check,
    list: passkeys.list,
    add: passkeys.add,
    registration: createPasskeyRegistration({ ...options, relyingParty, challenges, countTry }),
    account: accounts.find,
    mayOffer: async (accountId) => !isShared(accountId) && (await passkeys.list(accountId)).length === 0,
  };
}
