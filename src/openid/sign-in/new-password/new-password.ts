// The last step of a sign-in with a password that an operator chose: the person must choose a new one before the application gets anything
// (SEC-66).

import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { finishLogin, type Progress, progressOf } from '#openid/sign-in/progress.ts';
import { csrfField } from '#web/forms/csrf.ts';
import {
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  newPasswordStatus,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';

/** Shows the page. The button's id `save-password` is relied on from outside. */
export function sendNewPasswordPage(context: PageContext, { email }: Progress, problem?: NewPasswordProblem): void {
  const { res, site, language, languageLink, interaction, path, tokens } = context;
  const [token] = tokens;
  const { newPassword, consent } = messagesIn(language);
  const buttons = html`<button class="wide" id="save-password" type="submit">${newPassword.submit}</button>`;
  const frame = { site, language, languageLink };
  const form = { ...frame, action: `${path}/new-password`, token, login: email, withCurrent: false, problem, buttons };
  const content = html`<p class="lead">${newPassword.chosenByOperator} <strong>${interaction.client.name}</strong>.</p>
${newPasswordForm(form)}
<form class="aside" method="post" action="${path}/other-account">${csrfField(token)}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const page = { ...frame, title: newPassword.title, problem: problem !== undefined, showAddress: true, content };
  const scripts = NEW_PASSWORD_SCRIPTS;
  sendPage(context, newPasswordStatus(res, problem), renderPage({ ...page, scripts }), scripts);
}

/** Answers the posted form: sets the password, which ends the sessions of the old one, and goes on to the client. */
export async function chooseNewPassword(context: PageContext): Promise<void> {
  const { req, res, interaction, path, changePassword } = context;
  const { chosen, problem } = readNewPassword(req, context.tokens, { withCurrent: false });
  const progress = await progressOf(context);
  if (progress?.newPassword !== 'now') return res.redirect(303, path);
  if (problem) return sendNewPasswordPage(context, progress, problem);
  const { accountId } = progress;
  const { account, client } = interaction;
  const keep = account?.id === accountId ? account.sessionUid : undefined;
  const changed = await changePassword({ accountId, chosen, keep, client: client.id, address: req.ip ?? '' });
  if (changed.problem) return sendNewPasswordPage(context, progress, changed.problem);
  await renewSession(req);
  const { newPassword: _done, ...proved } = progress;
  await finishLogin(context, { ...proved, signedInAt: changed.notBefore, mark: changed.mark });
}
