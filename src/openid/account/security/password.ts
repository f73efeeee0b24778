// A person changes their password. All their other sessions end (SEC-55, SEC-66). The present password is required too (OWASP ASVS 5
// 6.2.3), since a fresh sign-in does not prove that the person still sits there.

import { OWN_CLIENT_ID } from '#config/own-client.ts';
import { accountSession, ownSession, type PageContext, pathOf } from '#openid/account/page-context.ts';
import { goOnAlone } from '#openid/account/sessions/end-other-sessions.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import {
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  newPasswordStatus,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';
import { messagesIn } from '#web/messages.ts';

/** Shows the page. An account without a password has none to change. The button's id `save-password` is relied on from outside. */
export async function sendPasswordPage(context: PageContext, problem?: NewPasswordProblem): Promise<void> {
  const { req, res, site, language, account, path } = context;
  if (!account.hasPassword) return res.redirect(303, pathOf(site, 'security'));
  const messages = messagesIn(language);
  const buttons = html`<div class="choices stacked">
<button id="save-password" type="submit">${messages.newPassword.submit}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'security')}">${messages.account.cancel}</a>
</div>`;
  const form = {
    site,
    language,
    action: path,
    token: tokensOfSession(req.session)[0],
    login: loginOf(account),
    name: account.name,
    withCurrent: true,
    problem,
    buttons,
  };
  sendSpacePage(context, {
    status: newPasswordStatus(res, problem),
    section: 'security',
    title: messages.newPassword.title,
    problem: problem !== undefined,
    showAddress: true,
    scripts: NEW_PASSWORD_SCRIPTS,
    content: html`<p class="lead">${messages.newPassword.introduction}</p>
${newPasswordForm(form)}`,
  });
}

/** Answers the posted form. */
export async function changePassword(context: PageContext): Promise<void> {
  const { req, res, site, account } = context;
  if (!account.hasPassword) return res.redirect(303, pathOf(site, 'security'));
  const { current = '', chosen, problem } = readNewPassword(req, tokensOfSession(req.session), { withCurrent: true });
  if (problem) return sendPasswordPage(context, problem);
  const change = { accountId: account.id, current, chosen, keep: ownSession(req) };
  const changed = await context.changePassword({ ...change, client: OWN_CLIENT_ID, address: req.ip ?? '' });
  if (changed.problem) return sendPasswordPage(context, changed.problem);
  // An intruder may be the reason for the change, and must not keep a copy of this session either (SEC-33).
  await goOnAlone(context);
  accountSession(req).notice = { kind: 'password-changed' };
  res.redirect(303, pathOf(site, 'security'));
}
