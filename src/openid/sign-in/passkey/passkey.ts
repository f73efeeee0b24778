// Answers a sign-in by a passkey: in place of login and password, or as the second step after a password (SEC-70).

import { awaitsSecondFactor, finishLogin, progressOf, type SignInProgress } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { purposeAfterPassword, purposeAlone } from '#openid/sign-in/passkey-requests.ts';
import { readPasskey } from '#web/forms/passkey-form.ts';
import { renewSession } from '#web/http/page-session.ts';
import type { PasskeyProblem } from './passkey-check.ts';

/** Functions that send the pages with a request for a passkey. If a passkey is refused, its page is shown again. */
interface AskingPages {
  sendLoginPage(context: SignInContext, state: { login: string; problem: LoginPageProblem }): void;
  sendCodePage(
    context: SignInContext,
    progress: SignInProgress,
    refusal: { problem: Waiting } | { passkeyProblem: 'stale' | 'wrong' },
  ): Promise<void>;
}

type Waiting = Extract<PasskeyProblem, { kind: 'waiting' }>;
type LoginPageProblem = Waiting | { kind: 'stale' | 'wrong'; of: 'passkey' };

/** Answers a passkey that was posted from the sign-in page or from the page of the second step. */
export const signInByPasskey =
  ({ sendLoginPage, sendCodePage }: AskingPages) =>
  async (context: SignInContext): Promise<void> => {
    const { req, res, interaction, path, passkeys } = context;
    if (interaction.prompt !== 'login' || !passkeys) return res.redirect(303, path);
    const { text, stale } = readPasskey(context);
    const progress = await progressOf(context);
    if (progress && !awaitsSecondFactor(progress)) return res.redirect(303, path);
    const refuse = (problem: PasskeyProblem) => {
      if (progress) {
        const refusal = problem.kind === 'waiting' ? { problem } : { passkeyProblem: problem.kind };
        return sendCodePage(context, progress, refusal);
      }
      const shown = problem.kind === 'waiting' ? problem : { ...problem, of: 'passkey' as const };
      return sendLoginPage(context, { login: '', problem: shown });
    };
    if (stale) return refuse({ kind: 'stale' });
    const deviceOf = (login: string) => context.devices.deviceOf(req, login);
    const purpose = progress ? purposeAfterPassword(progress) : purposeAlone(interaction);
    const expected = progress && { accountId: progress.accountId };
    const origin = { client: interaction.client.id, address: req.ip ?? '', deviceOf };
    const checked = await passkeys.check({ text, purpose, ...expected, ...origin });
    if (checked.problem) return refuse(checked.problem);
    if (progress && progress.methods.length > 0) {
      await renewSession(req);
      return finishLogin(context, { ...progress, methods: [...progress.methods, 'passkey'] });
    }
    // Without a password in this sign-in, a passkey is a whole sign-in by itself, even if the session needed only a second factor.
    const { accountId, email, signedInAt } = checked;
    await finishLogin(context, { uid: interaction.uid, accountId, email, methods: ['passkey'], signedInAt });
  };
