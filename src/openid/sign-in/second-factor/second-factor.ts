// The second step of a sign-in: a code of an authenticator app, a recovery code or a passkey (`passkey/passkey.ts`). An account that needs
// a second factor but has none sets up an app here (SEC-41). `provider/prompts/second-factor-demand.ts` decides whether a request demands a
// second factor. The account pages use `createCodeCheck` too.

import {
  awaitsSecondFactor,
  finishLogin,
  hasSecondFactor,
  progressOf,
  recordStep,
  type SignInProgress,
} from '#openid/sign-in/finish-login.ts';
import { type SignInContext, stepDetail } from '#openid/sign-in/page-context.ts';
import type { Throttle } from '#openid/sign-in/throttle.ts';
import type { AuditActor, AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { readSaved } from '#web/forms/recovery-codes.ts';
import { type CheckCode, readCode } from '#web/forms/second-factor.ts';
import { renewSession } from '#web/http/page-session.ts';
import {
  type StepRefusal,
  sendCodePage,
  sendRecoveryPage,
  sendSavedPage,
  sendSetUpPage,
} from './second-factor-pages.ts';

/** Shows the page that is due in the second step. */
export async function showSecondFactor(context: SignInContext, progress: SignInProgress): Promise<void> {
  if (progress.codesShown) return sendSavedPage(context, { unsaved: false });
  if (hasSecondFactor(progress)) return finishLogin(context, progress);
  await sendPageOf(context, progress);
}

/** Answers the posted code. */
export async function verifyCode(context: SignInContext): Promise<void> {
  const { req, res, interaction, path } = context;
  const { typed, recovery, problem } = readCode(context);
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
    about: stepDetail(context),
    language: context.language,
  });
  if (refusal) return sendPageOf(context, progress, { problem: refusal, recovery });
  await renewSession(req);
  await finishLogin(context, { ...progress, methods: [...progress.methods, 'otp'] });
}

/**
 * Answers the first code of an app that is being set up. Only this response shows the recovery codes, because only their digests are
 * stored.
 */
export async function setUpSecondFactor(context: SignInContext): Promise<void> {
  const { req, res, path, interaction, secondFactors } = context;
  const { typed, problem } = readCode(context);
  const current = await progressOf(context);
  if (current?.proposal === undefined) return res.redirect(303, path);
  const { proposal, ...progress } = current;
  if ((await secondFactors.kinds(progress.accountId)).length > 0) {
    // Another request has set up a second factor meanwhile, and another person may have sent it. A password alone must not replace that
    // second factor.
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
  sendRecoveryPage(context, { login: progress.email, codes: added.codes, madeFor: 'app' });
}

/** Continues when the person has confirmed that they have kept the recovery codes. */
export async function finishSetUp(context: SignInContext): Promise<void> {
  const { res, path } = context;
  const saved = readSaved(context);
  const progress = await progressOf(context);
  if (!progress?.codesShown || progress.newPassword === 'now') return res.redirect(303, path);
  if (!saved) return sendSavedPage(context, { unsaved: true });
  await finishLogin(context, progress);
}

/** Sends the page that sets up an app, if one is being set up. Otherwise sends the page that asks for a code or a passkey. */
async function sendPageOf(context: SignInContext, progress: SignInProgress, refusal: StepRefusal = {}): Promise<void> {
  const { proposal } = progress;
  if (proposal === undefined) return sendCodePage(context, progress, refusal);
  await sendSetUpPage(context, progress, proposal, refusal.problem);
}

interface CodeCheckOptions {
  secondFactors: Pick<SecondFactors, 'take'>;
  throttle: Pick<Throttle, 'beginCode'>;
  audit: AuditTrail;
}

/**
 * Makes the function that checks a code against the second factors of an account. The sign-in and the account pages use it. Attempts are
 * throttled and recorded, and each code is valid once (SEC-39, SEC-41, SEC-48).
 */
export function createCodeCheck({ secondFactors, throttle, audit }: CodeCheckOptions): CheckCode {
  return async ({ accountId, typed, client, address, device, about, language }) => {
    const record = (event: AuditEventName, actor: AuditActor, details?: AuditEvent['details']) =>
      audit.record({ event, actor, account: accountId, client, address, language, details: { ...details, ...about } });
    const attempt = await throttle.beginCode(accountId, address, device);
    if (attempt.outcome === 'waiting') {
      await record('sign-in.throttled', 'unknown');
      return { kind: 'waiting', seconds: attempt.seconds, of: attempt.of };
    }
    const outcome = await secondFactors.take(accountId, typed).catch(async (error: unknown) => {
      // The secret of the second factor could not be read, so the code was not checked and the attempt is not counted.
      await attempt.untried();
      throw error;
    });
    if (outcome === 'wrong' || outcome === 'used') {
      await record('sign-in.failed', 'unknown', { reason: outcome === 'used' ? 'code-used' : 'code' });
      return { kind: outcome };
    }
    await attempt.succeeded();
    if (outcome === 'recovery-code') await record('recovery-code.used', `account:${accountId}`);
    return undefined;
  };
}
