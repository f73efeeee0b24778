// Lets a person change their password, which ends all their other sessions (SEC-55, SEC-66). The form asks for the present password (OWASP
// ASVS 5 6.2.3), because somebody else may have taken over the computer since the sign-in.

import { type AccountContext, leadTo, originOf, ownSession } from '#openid/account/page-context.ts';
import { goOnAlone } from '#openid/account/sessions/sessions.ts';
import { choices, sendSpacePage } from '#openid/account/space-page.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { formStatus } from '#web/forms/form.ts';
import {
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';

/**
 * Shows the page. If the account has no password, redirects to the security page. External programs rely on the id of the button,
 * `save-password`.
 */
export async function sendPasswordPage(context: AccountContext, problem?: NewPasswordProblem): Promise<void> {
  const { res, site, language, messages, account, path, tokens } = context;
  if (!account.hasPassword) return leadTo(context, 'security');
  const { newPassword } = messages;
  const submit = html`<button id="save-password" type="submit">${newPassword.submit}</button>`;
  const person = { login: loginOf(account), name: account.name };
  const form = { site, language, action: path, token: tokens[0], ...person, withCurrent: true, problem };
  sendSpacePage(context, {
    status: formStatus(res, problem),
    section: 'security',
    title: newPassword.title,
    showAddress: true,
    scripts: NEW_PASSWORD_SCRIPTS,
    content: html`<p class="lead">${newPassword.introduction}</p>
${newPasswordForm({ ...form, buttons: choices(context, submit, 'security') })}`,
  });
}

/** Answers the posted form. */
export async function changePassword(context: AccountContext): Promise<void> {
  const { req, account } = context;
  if (!account.hasPassword) return leadTo(context, 'security');
  const { current = '', chosen, different, problem } = readNewPassword(context, { withCurrent: true });
  if (problem) return sendPasswordPage(context, problem);
  const change = { accountId: account.id, current, chosen, different, keep: ownSession(req) };
  const changed = await context.changePassword({ ...change, ...originOf(context) });
  if (changed.problem) return sendPasswordPage(context, changed.problem);
  // A person may change their password because somebody has broken in. So the current session is renewed as well, and a stolen copy of its
  // cookies becomes worthless (SEC-33).
  await goOnAlone(context);
  leadTo(context, 'security', { kind: 'password-changed' });
}
