// The addresses of the sign-in pages. `steps.ts` lists the pages and their forms.

import { type RequestHandler, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Parts } from '#openid/parts.ts';
import { withCookiesOf } from '#openid/provider/storage/interaction-storage.ts';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import type { ChooseWorkspace } from '#store/accounts/links/links-in-force.ts';
import { derivedTokens, refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { rememberLanguage } from '#web/language.ts';
import { arrivalCookie } from './arrival.ts';
import { createDeviceCookies } from './device-cookies.ts';
import { errorHandler, notFound } from './errors.ts';
import { createInteractions } from './interactions.ts';
import { keptChoices } from './kept-choices.ts';
import { createAuthenticate, createStillRight } from './login/authenticate.ts';
import { pathOf, type SignInContext, type SignInOptions, signInContext } from './page-context.ts';
import type { SignInPasskeys } from './passkey/passkey-check.ts';
import { FORMS, showStep } from './steps.ts';
import type { Throttle } from './throttle.ts';

/** Returns the router for `SIGN_IN_PATH`. */
export function signInRouter(options: SignInOptions): Router {
  const { site, session } = options;
  const posted = [refuseCrossSite(site.origin), session, parseForm];
  const page =
    (handle: (context: SignInContext) => Promise<void> | void): RequestHandler =>
    async (req, res) =>
      handle(await signInContext(options, req, res));

  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/:uid', session, page(showStep));
  for (const [form, answer] of FORMS) router.post(`/:uid/${form}`, posted, page(answer));
  // Somebody may open the address of a posted form from the address bar or the history. They are redirected to the page.
  router.get('/:uid/:form', (req, res) => res.redirect(303, pathOf(site, req)));
  router.use(notFound(options), errorHandler(options));
  return router;
}

interface SignInPagesOptions extends Parts, Pick<SignInOptions, 'checkCode' | 'changePassword' | 'session'> {
  provider: Provider;
  /** Keys for cookies. The first key signs and seals new cookies; each key can verify and open cookies. */
  cookieKeys: readonly string[];
  throttle: Throttle;
  signInPasskeys: SignInPasskeys | undefined;
  chooseWorkspace: ChooseWorkspace;
}

/** Answers requests below `SIGN_IN_PATH`. */
export function createSignInPages(options: SignInPagesOptions): RequestHandler {
  const { site, accounts, hashing, cookieKeys } = options;
  const router = signInRouter({
    ...options,
    interactions: createInteractions(options),
    authenticate: createAuthenticate(accounts, hashing),
    stillRight: createStillRight(accounts),
    arrivals: arrivalCookie(options),
    passkeys: options.signInPasskeys,
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
