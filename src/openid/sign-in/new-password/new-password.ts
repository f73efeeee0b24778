// The last step of a sign-in if an operator chose the password. The person must choose a new one before the application gets anything
// (SEC-66).

import { finishLogin, progressOf, type SignInProgress } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { deviceDetail } from '#shared/device.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus } from '#web/forms/form.ts';
import {
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { sendPage } from '#web/pages/send-page.ts';

/** Shows the page. Programs of others rely on the button's id `save-password`. */
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

/** Answers the posted form: sets the password, which ends sessions with the old one, and returns to the client. */
export async function chooseNewPassword(context: SignInContext): Promise<void> {
  const { req, res, interaction, path, changePassword } = context;
  const { chosen, different, problem } = readNewPassword(req, context.tokens, { withCurrent: false });
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
