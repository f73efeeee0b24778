// The pages of a sign-in, route by route: login or passkey, second factor, consent.

import { type RequestHandler, Router } from 'express';
import { refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm, readForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { renewSession } from '#web/http/page-session.ts';
import { rememberLanguage } from '#web/language.ts';
import { answerConsent, sendConsentPage } from './consent/consent.ts';
import { errorHandler, notFound } from './errors.ts';
import { cancelLogin, login, sendLoginPage, switchLanguage } from './login/login.ts';
import { chooseNewPassword } from './new-password/new-password.ts';
import { type PageContext, pageContext, pathOf, type SignInOptions } from './page-context.ts';
import { signInByPasskey } from './passkey/passkey.ts';
import { finishSetUp, sendSecondFactorPage, setUpSecondFactor, verifyCode } from './second-factor/second-factor.ts';
import { keepAccount, sendAccountChoice } from './workspace/account-choice.ts';
import { chooseWorkspace, sendWorkspaceChoice } from './workspace/workspace.ts';

export type { SignInOptions } from './page-context.ts';

/** To be mounted at `SIGN_IN_PATH`. */
export function signInRouter(options: SignInOptions): Router {
  const { site, session } = options;
  const form = [refuseCrossSite(site.origin), session, parseForm];
  const page =
    (handle: (context: PageContext) => Promise<void> | void): RequestHandler =>
    async (req, res) =>
      handle(await pageContext(options, req, res));

  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/:uid', session, page(showPage));
  router.post('/:uid/login', form, page(login));
  router.post('/:uid/language', form, page(switchLanguage));
  router.post('/:uid/passkey', form, page(signInByPasskey));
  router.post('/:uid/cancel', form, page(cancelLogin));
  router.post('/:uid/code', form, page(verifyCode));
  router.post('/:uid/second-factor', form, page(setUpSecondFactor));
  router.post('/:uid/continue', form, page(finishSetUp));
  router.post('/:uid/new-password', form, page(chooseNewPassword));
  router.post('/:uid/consent', form, page(answerConsent));
  router.post('/:uid/same-account', form, page(keepAccount));
  router.post('/:uid/workspace', form, page(chooseWorkspace));
  router.post('/:uid/other-account', form, page(switchAccount));
  // The address of an answered form, opened again from the address bar or the history.
  router.get('/:uid/:form', (req, res) => res.redirect(303, pathOf(site, req)));
  router.use(notFound(options), errorHandler(options));
  return router;
}

/** Shows the page that the interaction has come to. */
async function showPage(context: PageContext): Promise<void> {
  const { interaction } = context;
  if (interaction.prompt === 'consent') return sendConsentPage(context, 200);
  if (interaction.prompt === 'select_account') return sendAccountChoice(context);
  if (interaction.prompt === 'workspace') return sendWorkspaceChoice(context);
  if (await sendSecondFactorPage(context)) return;
  sendLoginPage(context, 200, { login: interaction.loginHint ?? interaction.account?.email ?? '' });
}

async function switchAccount(context: PageContext): Promise<void> {
  const { req, res, interaction, interactions, tokens } = context;
  if (readForm(req, tokens).stale) {
    if (interaction.prompt === 'consent') return sendConsentPage(context, 403);
    if (interaction.prompt === 'select_account') return sendAccountChoice(context, 'stale');
    if (interaction.prompt === 'workspace') return sendWorkspaceChoice(context, 'stale');
    return sendLoginPage(context, 403, { login: '', problem: { kind: 'stale' } });
  }
  await renewSession(req);
  await interactions.switchAccount(req, res);
}
