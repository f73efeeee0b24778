// Changes a person's password. Also contains the last step of a sign-in with a password that an operator chose: the person must choose a
// new one before the application gets anything (SEC-66).

import type { Parts } from '#openid/parts.ts';
import { finishLogin, progressOf, type SignInProgress } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import type { Throttle } from '#openid/sign-in/throttle.ts';
import type { AuditActor, AuditEventName } from '#shared/audit/events.ts';
import { digest } from '#shared/crypto/digest.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import { TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { deviceDetail } from '#shared/device.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus } from '#web/forms/form.ts';
import {
  type ChangePassword,
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  problemOf,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { sendPage } from '#web/layout.ts';

/** Shows the page. The id `save-password` of the button must not change, because programs of others rely on it. */
export function sendNewPasswordPage(
  context: SignInContext,
  { email }: SignInProgress,
  problem?: NewPasswordProblem,
): void {
  const { res, site, language, interaction, path, tokens } = context;
  const [token] = tokens;
  const { newPassword, consent } = context.messages;
  const buttons = html`<button class="wide" id="save-password" type="submit">${newPassword.submit}</button>`;
  const action = `${path}/new-password`;
  const form = { site, language, action, token, login: email, withCurrent: false, problem, buttons };
  const content = html`<p class="lead">${newPassword.chosenByOperator} <strong>${interaction.client.name}</strong>.</p>
${newPasswordForm(form)}
<form class="aside" method="post" action="${path}/other-account">${csrfField(token)}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const about = { status: formStatus(res, problem), title: newPassword.title, showAddress: true };
  sendPage(context, { ...about, content, scripts: NEW_PASSWORD_SCRIPTS });
}

/** Answers the posted form: sets the password, which ends all other sessions of the account, and continues the sign-in. */
export async function chooseNewPassword(context: SignInContext): Promise<void> {
  const { req, res, interaction, path, changePassword } = context;
  const { chosen, different, problem } = readNewPassword(context, { withCurrent: false });
  const progress = await progressOf(context);
  if (progress?.newPassword !== 'now') return res.redirect(303, path);
  if (problem) return sendNewPasswordPage(context, progress, problem);
  const { accountId } = progress;
  const { account, client } = interaction;
  const keep = account?.id === accountId ? account.sessionUid : undefined;
  const origin = { client: client.id, address: req.ip ?? '', about: deviceDetail(req), language: context.language };
  const changed = await changePassword({ accountId, chosen, different, keep, ...origin });
  if (changed.problem) return sendNewPasswordPage(context, progress, changed.problem);
  await renewSession(req);
  const { newPassword: _done, ...proved } = progress;
  await finishLogin(context, {
    ...proved,
    signedInAt: changed.notBefore,
    passwordHashDigest: changed.passwordHashDigest,
  });
}

/**
 * Compares the posted passwords with the hash of the present one. Returns the problem if the present password was typed wrongly, if the new
 * password is the present one, or if too many other passwords wait for their check.
 */
async function comparePasswords(
  hashing: Parts['hashing'],
  { current, chosen, address }: Pick<Parameters<ChangePassword>[0], 'current' | 'chosen' | 'address'>,
  before: string,
): Promise<NewPasswordProblem | undefined> {
  try {
    const matches = await hashing.verifyPassword(current ?? chosen, [before], queueKeyOf(address));
    if (current !== undefined && !matches) return { kind: 'wrong' };
    const isSame = current === undefined ? matches : current.normalize('NFC') === chosen.normalize('NFC');
    return isSame ? { kind: 'same' } : undefined;
  } catch (error) {
    if (error instanceof TooManyHashes) return { kind: 'busy' };
    throw error;
  }
}

type ChangePasswordOptions = Pick<Parts, 'accounts' | 'hashing' | 'audit'> & { throttle: Throttle };

/**
 * Makes the function that changes the password of an account, with the throttling of a sign-in and the rules of `password-rules.ts`. All
 * other sessions of the account end (SEC-39, SEC-55, SEC-66). The account pages use the function, and so does a sign-in with a password
 * that an operator chose.
 */
export function createChangePassword({ accounts, hashing, throttle, audit }: ChangePasswordOptions): ChangePassword {
  return async ({ accountId, current, chosen, different, keep, client, address, about, language }) => {
    const record = (event: AuditEventName, actor: AuditActor, details?: { reason: string }) =>
      audit.record({ event, actor, account: accountId, client, address, language, details: { ...details, ...about } });
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    const before = found?.passwordHash;
    if (found?.account.id !== accountId || before === undefined) return { problem: { kind: 'stale' } };
    const [rule] = await passwordProblems(chosen, found.account);
    const refused = problemOf(rule, different);
    if (refused) return { problem: refused };

    // The session shows that this browser is the person's own. So the session counts as a known browser, and failures of strangers do not
    // block the change (SEC-59).
    const attempt = await throttle.begin(email, address, keep);
    if (attempt.outcome === 'waiting') {
      await record('sign-in.throttled', 'unknown');
      return { problem: { kind: 'waiting', seconds: attempt.seconds, of: attempt.of } };
    }
    if (attempt.outcome === 'busy') return { problem: { kind: 'busy' } };
    const problem = await comparePasswords(hashing, { current, chosen, address }, before);
    if (problem?.kind === 'wrong') {
      await record('sign-in.failed', 'unknown', { reason: 'password' });
      return { problem };
    }
    if (problem) {
      await attempt.untried();
      return { problem };
    }
    const hash = await hashing.hashPassword(chosen);
    const notBefore = await accounts.setPassword(accountId, hash, { before, keep, own: current !== undefined });
    // `undefined` means that another request has set a password at the same time.
    if (notBefore === undefined) return { problem: { kind: 'stale' } };
    await attempt.succeeded();
    await record('account.password-changed', `account:${accountId}`);
    return { notBefore, passwordHashDigest: digest(hash) };
  };
}
