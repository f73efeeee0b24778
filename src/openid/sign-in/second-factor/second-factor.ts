// The second step of a sign-in: a code of the app, a recovery code or a passkey (`passkeys.ts`). If a second factor is required and there
// is none, it is set up here (SEC-41).

import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { secondStepRequest } from '#openid/sign-in/passkey-requests.ts';
import {
  awaitsSecondFactor,
  finishLogin,
  hasSecondFactor,
  type Progress,
  progressOf,
  recordStep,
} from '#openid/sign-in/progress.ts';
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

/** Shows the page that the second factor is at. */
export async function showSecondFactor(context: PageContext, progress: Progress): Promise<void> {
  if (progress.codesShown) return sendSavedPage(context, { unsaved: false });
  if (hasSecondFactor(progress)) return finishLogin(context, progress);
  await sendPageOf(context, progress);
}

/** Answers the posted code. */
export async function verifyCode(context: PageContext): Promise<void> {
  const { req, res, interaction, path } = context;
  const { typed, recovery, problem } = readCode(req, context.tokens);
  const progress = await progressOf(context);
  if (!awaitsSecondFactor(progress)) return res.redirect(303, path);
  if (problem) return sendPageOf(context, progress, { problem, recovery });
  const { accountId, email } = progress;
  const refusal = await context.checkCode({
    accountId,
    typed,
    client: interaction.client.id,
    address: req.ip ?? '',
    device: await context.devices.deviceOf(req, email),
    about: deviceDetail(req),
  });
  if (refusal) return sendPageOf(context, progress, { problem: refusal, recovery });
  await renewSession(req);
  await finishLogin(context, { ...progress, methods: [...progress.methods, 'otp'] });
}

/** Answers the first code of an app that is being set up with the recovery codes. They are not kept anywhere from here on. */
export async function setUpSecondFactor(context: PageContext): Promise<void> {
  const { req, res, site, language, path, interaction, secondFactors, tokens } = context;
  const { typed, problem } = readCode(req, tokens);
  const current = await progressOf(context);
  if (current?.proposal === undefined) return res.redirect(303, path);
  const { proposal, ...progress } = current;
  if ((await secondFactors.kinds(progress.accountId)).length > 0) {
    // A second factor was set up meanwhile, perhaps by somebody else. A password alone must not replace it.
    req.session.progress = progress;
    return res.redirect(303, path);
  }
  if (problem) return sendPageOf(context, current, { problem });
  const { account } = interaction;
  const own = account?.id === progress.accountId ? account.sessionUid : undefined;
  const added = await secondFactors.setUp(progress.accountId, proposal, typed, own, { first: true });
  if (!added) return sendPageOf(context, current, { problem: { kind: 'wrong' } });
  await renewSession(req);
  req.session.progress = {
    ...progress,
    methods: [...progress.methods, 'otp'],
    signedInAt: added.notBefore,
    codesShown: true,
  };
  await recordStep(context, progress, 'second-factor.added');
  const [token] = tokens;
  const page = renderRecoveryPage({ site, language, path, token, codes: added.codes });
  sendPage(context, 200, page, RECOVERY_CODES_SCRIPTS);
}

/** Goes on after the recovery codes were shown, once the person says that they are kept. */
export async function finishSetUp(context: PageContext): Promise<void> {
  const { req, res, path, tokens } = context;
  const saved = readSaved(req, tokens);
  const progress = await progressOf(context);
  if (!progress?.codesShown || progress.newPassword === 'now') return res.redirect(303, path);
  if (!saved) return sendSavedPage(context, { unsaved: true });
  await finishLogin(context, progress);
}

/** The question whether the recovery codes are kept, without the codes. */
function sendSavedPage(context: PageContext, { unsaved }: { unsaved: boolean }): void {
  const { site, language, languageLink, path, tokens } = context;
  const page = { site, language, languageLink, path, token: tokens[0], unsaved };
  sendPage(context, unsaved ? 422 : 200, renderSavedPage(page));
}

/** Reason why the page is shown again. */
interface Refusal {
  problem?: CodeProblem;
  /** A recovery code was sent, rather than one of the app. */
  recovery?: boolean;
  /** Problem with the posted passkey. */
  passkeyProblem?: 'wrong' | 'stale' | undefined;
}

/** Sends the page that asks for a code, or for a passkey where the account has some. */
export async function sendCodePage(context: PageContext, progress: Progress, refusal: Refusal = {}): Promise<void> {
  const { problem, recovery = false, passkeyProblem } = refusal;
  const app = (await context.secondFactors.kinds(progress.accountId)).includes('app');
  const passkey = await secondStepRequest(context, progress);
  const again = !beginsSession(progress.methods);
  const page = renderCodePage({ ...pageOf(context, problem), recovery, again, app, passkey, passkeyProblem });
  if (problem?.kind === 'waiting') context.res.set('retry-after', String(problem.seconds));
  const status = statusOf(problem ?? (passkeyProblem && { kind: passkeyProblem }));
  sendPage(context, status, page, codeScripts({ passkey }));
}

function pageOf({ site, language, languageLink, interaction, path, tokens }: PageContext, problem?: CodeProblem) {
  return { site, language, languageLink, path, token: tokens[0], clientName: interaction.client.name, problem };
}

/** Sends the page of the current step: setting up an app, or showing a second factor. */
async function sendPageOf(context: PageContext, progress: Progress, refusal: Refusal = {}): Promise<void> {
  const { site, secondFactors } = context;
  const { accountId, email, proposal } = progress;
  if (proposal === undefined) return sendCodePage(context, progress, refusal);
  const { problem } = refusal;
  const secret = await secondFactors.secretOf(accountId, proposal);
  const address = totpAddress(secret, { issuer: site.name, account: email });
  const page = { ...pageOf(context, problem), address, key: base32(secret) };
  sendPage(context, statusOf(problem), renderSetUpPage(page), SET_UP_SCRIPTS);
}
