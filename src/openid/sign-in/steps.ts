// The steps of a sign-in, in the order in which they are checked. The page of the first step that is due is shown. This is not always the
// order in which a person meets the steps: `provider/prompts/prompts.ts` decides the order of the prompts, and `finish-login.ts` the order
// of the steps within the prompt `login`. Each step has a folder with its page and the handlers of its forms, except the choice of the
// account, which is in `workspace/`.

import { readForm } from '#web/forms/form.ts';
import { renewSession } from '#web/http/page-session.ts';
import { answerConsent, sendConsentPage } from './consent/consent.ts';
import { forgetProgress, progressOf, type SignInProgress } from './finish-login.ts';
import { answerLogin, forgetLogin, markNotShared, switchLanguage } from './login/login.ts';
import { sendLoginPage, sendStaleLoginPage, showLoginPage } from './login/login-page.ts';
import { chooseNewPassword, sendNewPasswordPage } from './new-password/new-password.ts';
import type { SignInContext } from './page-context.ts';
import { addOffered, declineOffer, sendOffer } from './passkey/offer.ts';
import { signInByPasskey } from './passkey/passkey.ts';
import { finishSetUp, setUpSecondFactor, showSecondFactor, verifyCode } from './second-factor/second-factor.ts';
import { sendCodePage, sendRecoveryPage } from './second-factor/second-factor-pages.ts';
import { chooseWorkspace, keepAccount, sendAccountChoice, sendWorkspaceChoice } from './workspace/workspace.ts';

type StepHandler = (context: SignInContext) => Promise<void> | void;

interface Step {
  /**
   * Checks whether this step is due. `progress` is defined once the person has used a password or a passkey in this sign-in, and also if
   * they signed in earlier and only a second factor is missing (`progressOf`).
   */
  isDue(prompt: SignInContext['interaction']['prompt'], progress: SignInProgress | undefined): boolean;
  show(context: SignInContext, progress: SignInProgress | undefined): Promise<void> | void;
  /** Shows the page again, with a notice, if a posted form did not come from it. */
  showStale: StepHandler;
  /** Handlers for the forms of the page, by the last segment of the form's address. */
  forms: Readonly<Record<string, StepHandler>>;
}

const STEPS: readonly Step[] = [
  {
    // The person chooses whether to continue with the signed-in account or to use another one (`prompt=select_account`).
    isDue: (prompt) => prompt === 'select_account',
    show: (context) => sendAccountChoice(context),
    showStale: (context) => sendAccountChoice(context, 'stale'),
    forms: { 'same-account': keepAccount },
  },
  {
    isDue: (prompt, progress) => prompt === 'login' && !progress,
    show: showLoginPage,
    showStale: sendStaleLoginPage,
    // The form `passkey` is also posted from the page of the second step, where the passkey follows a password.
    forms: {
      login: answerLogin,
      language: switchLanguage,
      forget: forgetLogin,
      'not-shared': markNotShared,
      passkey: signInByPasskey({ sendLoginPage, sendCodePage }),
    },
  },
  {
    isDue: (prompt, progress) => prompt === 'login' && progress?.offer !== undefined,
    show: (context, progress) => progress && sendOffer(context, progress),
    showStale: sendStaleLoginPage,
    forms: {
      'new-passkey': addOffered(sendRecoveryPage),
      later: declineOffer('later'),
      shared: declineOffer('shared'),
    },
  },
  {
    isDue: (prompt, progress) => prompt === 'login' && progress !== undefined && progress.newPassword !== 'now',
    show: (context, progress) => progress && showSecondFactor(context, progress),
    showStale: sendStaleLoginPage,
    forms: { code: verifyCode, 'second-factor': setUpSecondFactor, continue: finishSetUp },
  },
  {
    // An operator chose the password, so the person must choose a new one.
    isDue: (prompt, progress) => prompt === 'login' && progress?.newPassword === 'now',
    show: (context, progress) => progress && sendNewPasswordPage(context, progress),
    showStale: sendStaleLoginPage,
    forms: { 'new-password': chooseNewPassword },
  },
  {
    isDue: (prompt) => prompt === 'workspace',
    show: (context) => sendWorkspaceChoice(context),
    showStale: (context) => sendWorkspaceChoice(context, 'stale'),
    forms: { workspace: chooseWorkspace },
  },
  {
    isDue: (prompt) => prompt === 'consent',
    show: (context) => sendConsentPage(context, 200),
    showStale: (context) => sendConsentPage(context, 403),
    forms: { consent: answerConsent },
  },
];

/** Shows the page of the step that is due. */
export async function showStep(context: SignInContext): Promise<void> {
  const progress = await progressOf(context);
  await STEPS.find(({ isDue }) => isDue(context.interaction.prompt, progress))?.show(context, progress);
}

async function showStale(context: SignInContext): Promise<void> {
  const progress = await progressOf(context);
  await STEPS.find(({ isDue }) => isDue(context.interaction.prompt, progress))?.showStale(context);
}

/**
 * Ends the sign-in without success: the application receives `access_denied` (RFC 6749 section 4.1.2.1). Does nothing on the consent page,
 * which has its own form for a refusal.
 */
async function cancel(context: SignInContext): Promise<void> {
  const { req, res, interaction, interactions, path } = context;
  if (interaction.prompt === 'consent') return res.redirect(303, path);
  if (readForm(context).stale) return showStale(context);
  await forgetProgress(context);
  await interactions.abort(req, res);
}

/** Ends the session of the signed-in account, and continues with a sign-in by another account. */
async function switchAccount(context: SignInContext): Promise<void> {
  const { req, res, interactions } = context;
  if (readForm(context).stale) return showStale(context);
  await renewSession(req);
  await interactions.switchAccount(req, res);
}

/** The forms of all steps, and the forms that several pages share. */
export const FORMS: readonly (readonly [address: string, StepHandler])[] = [
  ...STEPS.flatMap(({ forms }) => Object.entries(forms)),
  ['cancel', cancel],
  ['other-account', switchAccount],
];
