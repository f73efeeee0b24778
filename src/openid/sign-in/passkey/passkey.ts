// Answers a sign-in by a passkey: alone, instead of login and password, or as the second step after a password (SEC-70).

import { sendLoginPage } from '#openid/sign-in/login/login.ts';
import type { PageContext } from '#openid/sign-in/page-context.ts';
import { purposeAfterPassword, purposeAlone } from '#openid/sign-in/passkey-requests.ts';
import { finishLogin, firstStep, hasSecondFactor } from '#openid/sign-in/progress.ts';
import { sendCodePage } from '#openid/sign-in/second-factor/second-factor.ts';
import { readPasskey } from '#web/forms/passkey-form.ts';
import { renewSession } from '#web/http/page-session.ts';
import type { PasskeyProblem } from './passkey-check.ts';

/** Answers the posted passkey, on the page of the first step and on that of the second. */
export async function signInByPasskey(context: PageContext): Promise<void> {
  const { req, res, interaction, path, passkeys, tokens } = context;
  if (interaction.prompt !== 'login' || !passkeys) return res.redirect(303, path);
  const { text, stale } = readPasskey(req, tokens);
  const step = await firstStep(context);
  if (step && (step.proposal !== undefined || hasSecondFactor(step) || step.newPassword === 'now')) {
    return res.redirect(303, path);
  }
  const refuse = (problem: PasskeyProblem) => {
    if (step)
      return sendCodePage(context, step, problem.kind === 'waiting' ? { problem } : { passkeyProblem: problem.kind });
    if (problem.kind === 'waiting') res.set('retry-after', String(problem.seconds));
    const shown = problem.kind === 'waiting' ? problem : ({ kind: `passkey-${problem.kind}` } as const);
    return sendLoginPage(context, STATUS[problem.kind], { login: '', problem: shown });
  };
  if (stale) return refuse({ kind: 'stale' });
  const deviceOf = (login: string) => context.devices.deviceOf(req, login);
  const origin = { client: interaction.client.id, address: req.ip ?? '', deviceOf };
  const checked = step
    ? await passkeys.check({ text, purpose: purposeAfterPassword(step), accountId: step.accountId, ...origin })
    : await passkeys.check({ text, purpose: purposeAlone(interaction), ...origin });
  if (checked.problem) return refuse(checked.problem);
  if (step && step.methods.length > 0) {
    await renewSession(req);
    return finishLogin(context, { ...step, methods: [...step.methods, 'passkey'] });
  }
  // A whole sign-in by itself, also where a session lacked a second factor only.
  const { accountId, email, signedInAt } = checked;
  await finishLogin(context, { uid: interaction.uid, accountId, email, methods: ['passkey'], signedInAt });
}

const STATUS = { stale: 403, wrong: 422, waiting: 429 };
