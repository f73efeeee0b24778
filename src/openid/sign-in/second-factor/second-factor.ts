// The second step of a sign-in: a code of the app, a recovery code or a passkey (`passkeys.ts`). Where a second factor is required and there is none, it
// is set up here (SEC-41).

import { sendNewPasswordPage } from '#openid/sign-in/new-password/new-password.ts';
import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { secondStepRequest } from '#openid/sign-in/passkey-requests.ts';
import { type FirstStep, finishLogin, firstStep, hasSecondFactor, recordStep } from '#openid/sign-in/progress.ts';
import { base32, totpAddress } from '#shared/crypto/totp.ts';
import { deviceDetail } from '#shared/device.ts';
import { beginsSession } from '#shared/sign-in-methods.ts';
import { RECOVERY_CODES_SCRIPTS, readSaved } from '#web/forms/recovery-codes.ts';
import { type CodeProblem, readCode, SET_UP_SCRIPTS, statusOf } from '#web/forms/second-factor.ts';
import { renewSession } from '#web/http/page-session.ts';

import {
  codeScripts,
  renderCodePage,
  renderRecoveryPage,
  renderSavedPage,
  renderSetUpPage,
} from './second-factor-pages.ts';

/** Goes on after a right password: to the second step where there is one, else to the client. */
export async function afterPassword(
  context: PageContext,
  account: Pick<FirstStep, 'accountId' | 'email' | 'signedInAt'> & { mark: string; passwordChangeRequired: boolean },
): Promise<void> {
  const { req, res, interaction, path, secondFactors } = context;
  const { accountId, email, mark, signedInAt, passwordChangeRequired } = account;
  const proved: FirstStep = { uid: interaction.uid, accountId, email, methods: ['password'], signedInAt, mark };
  const step: FirstStep = passwordChangeRequired ? { ...proved, newPassword: 'later' } : proved;
  const hasFactor = (await secondFactors.kinds(accountId)).length > 0;
  if (!hasFactor && !interaction.secondFactorRequired) return finishLogin(context, step);
  await renewSession(req);
  req.session.firstStep = hasFactor ? step : { ...step, proposal: await secondFactors.propose(accountId) };
  res.redirect(303, path);
}

/** Sends the page of the second step, if this sign-in has come to it. */
export async function sendSecondFactorPage(context: PageContext): Promise<boolean> {
  const step = await firstStep(context);
  if (!step) return false;
  if (step.newPassword === 'now') sendNewPasswordPage(context, step);
  else if (step.codesShown) sendSavedPage(context, { unsaved: false });
  else if (hasSecondFactor(step)) await finishLogin(context, step);
  else await sendPageOf(context, step);
  return true;
}

/** Answers the posted code. */
export async function verifyCode(context: PageContext): Promise<void> {
  const { req, res, interaction, path } = context;
  const { typed, recovery, problem } = readCode(req, context.tokens);
  const step = await firstStep(context);
  if (!step || step.proposal !== undefined || hasSecondFactor(step) || step.newPassword === 'now')
    return res.redirect(303, path);
  if (problem) return sendPageOf(context, step, { problem, recovery });
  const { accountId, email } = step;
  const refusal = await context.checkCode({
    accountId,
    typed,
    client: interaction.client.id,
    address: req.ip ?? '',
    device: await context.devices.deviceOf(req, email),
    about: deviceDetail(req),
  });
  if (refusal) return sendPageOf(context, step, { problem: refusal, recovery });
  await renewSession(req);
  await finishLogin(context, { ...step, methods: [...step.methods, 'otp'] });
}

/** Answers the first code of an app that is being set up, with the recovery codes: nothing keeps them from here on. */
export async function setUpSecondFactor(context: PageContext): Promise<void> {
  const { req, res, site, language, path, interaction, secondFactors, tokens } = context;
  const { typed, problem } = readCode(req, tokens);
  const current = await firstStep(context);
  if (current?.proposal === undefined) return res.redirect(303, path);
  const { proposal, ...step } = current;
  if ((await secondFactors.kinds(step.accountId)).length > 0) {
    // Set up meanwhile, perhaps by somebody else: a password alone does not replace it.
    req.session.firstStep = step;
    return res.redirect(303, path);
  }
  if (problem) return sendPageOf(context, current, { problem });
  const { account } = interaction;
  const own = account?.id === step.accountId ? account.sessionUid : undefined;
  const added = await secondFactors.setUp(step.accountId, proposal, typed, own, { first: true });
  if (!added) return sendPageOf(context, current, { problem: { kind: 'wrong' } });
  await renewSession(req);
  req.session.firstStep = { ...step, methods: [...step.methods, 'otp'], signedInAt: added.notBefore, codesShown: true };
  await recordStep(context, step, 'second-factor.added');
  const [token] = tokens;
  const page = renderRecoveryPage({ site, language, path, token, codes: added.codes });
  sendPage(context, 200, page, RECOVERY_CODES_SCRIPTS);
}

/** Goes on after the recovery codes were shown, once the person says that they are kept. */
export async function finishSetUp(context: PageContext): Promise<void> {
  const { req, res, path, tokens } = context;
  const saved = readSaved(req, tokens);
  const step = await firstStep(context);
  if (!step?.codesShown || step.newPassword === 'now') return res.redirect(303, path);
  if (!saved) return sendSavedPage(context, { unsaved: true });
  await finishLogin(context, step);
}

/** The question whether the recovery codes are kept, without the codes. */
function sendSavedPage(context: PageContext, { unsaved }: { unsaved: boolean }): void {
  const { site, language, languageLink, path, tokens } = context;
  const page = { site, language, languageLink, path, token: tokens[0], unsaved };
  sendPage(context, unsaved ? 422 : 200, renderSavedPage(page));
}

/** Why the page is shown again. */
interface Refusal {
  problem?: CodeProblem;
  /** A recovery code was sent, rather than one of the app. */
  recovery?: boolean;
  /** What is wrong with the passkey that was sent. */
  passkeyProblem?: 'wrong' | 'stale' | undefined;
}

/** Sends the page that asks for a code, or for a passkey where the account has some. */
export async function sendCodePage(context: PageContext, step: FirstStep, refusal: Refusal = {}): Promise<void> {
  const { problem, recovery = false, passkeyProblem } = refusal;
  const app = (await context.secondFactors.kinds(step.accountId)).includes('app');
  const passkey = await secondStepRequest(context, step);
  const again = !beginsSession(step.methods);
  const page = renderCodePage({ ...pageOf(context, problem), recovery, again, app, passkey, passkeyProblem });
  if (problem?.kind === 'waiting') context.res.set('retry-after', String(problem.seconds));
  const status = statusOf(problem ?? (passkeyProblem && { kind: passkeyProblem }));
  sendPage(context, status, page, codeScripts({ passkey }));
}

function pageOf({ site, language, languageLink, interaction, path, tokens }: PageContext, problem?: CodeProblem) {
  return { site, language, languageLink, path, token: tokens[0], clientName: interaction.client.name, problem };
}

/** Sends the page that the step is at: setting up an app, or showing a second factor. */
async function sendPageOf(context: PageContext, step: FirstStep, refusal: Refusal = {}): Promise<void> {
  const { site, secondFactors } = context;
  const { accountId, email, proposal } = step;
  if (proposal === undefined) return sendCodePage(context, step, refusal);
  const { problem } = refusal;
  const secret = await secondFactors.secretOf(accountId, proposal);
  const address = totpAddress(secret, { issuer: site.name, account: email });
  const page = { ...pageOf(context, problem), address, key: base32(secret) };
  sendPage(context, statusOf(problem), renderSetUpPage(page), SET_UP_SCRIPTS);
}
