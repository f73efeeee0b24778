// The page behind the link in an invitation or in a mail about a forgotten password. It lets the person choose a password. After choosing a
// first password, the person is signed in at once. If the account has a second factor, the service still asks for it, so that access to the
// mail is never enough to open the account.

import { ANEW_PARAMETER } from '#config/built-in-clients.ts';
import { pathOf } from '#openid/account/page-context.ts';
import { arrivalCookie } from '#openid/sign-in/arrival.ts';
import { countLinkUse, forgetWrongPasswords } from '#openid/sign-in/throttle.ts';
import { digest } from '#shared/crypto/digest.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Action } from '#store/accounts/action-tokens.ts';
import { iconEmblem } from '#web/components.ts';
import { formStatus } from '#web/forms/form.ts';
import {
  NEW_PASSWORD_SCRIPTS,
  type NewPasswordProblem,
  newPasswordForm,
  problemOf,
  readNewPassword,
} from '#web/forms/new-password.ts';
import { html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';
import { type LinkContext, recordLink, sendUselessLink, shownAddress } from './link-context.ts';

type PasswordPurpose = 'invitation' | 'password-reset';

/** Shows the form. This request changes nothing, because mail scanners open links as well. */
export const sendPasswordPage = (purpose: PasswordPurpose) => async (context: LinkContext) => {
  const action = await context.actionTokens.find(purpose, context.link);
  if (action) sendForm(context, purpose, action);
  else sendUselessLink(context, purpose);
};

/** Answers the posted form. */
export const choosePassword = (purpose: PasswordPurpose) => async (context: LinkContext) => {
  const { link } = context;
  const { chosen, different, problem } = readNewPassword(context, { withCurrent: false });
  const action = await context.actionTokens.find(purpose, link);
  if (!action) return sendUselessLink(context, purpose);
  if (problem) return sendForm(context, purpose, action, problem);
  const { account } = action;
  const [rule] = await passwordProblems(chosen, account);
  const refused = problemOf(rule, different);
  if (refused) return sendForm(context, purpose, action, refused);
  const seconds = await countLinkUse(context.signInLimiters, account.id);
  if (seconds > 0) return sendForm(context, purpose, action, { kind: 'waiting', seconds, of: 'account' });
  const hash = await context.hashing.hashPassword(chosen);
  const changed = await context.actions.setPassword(purpose, link, hash);
  if (!changed) return sendUselessLink(context, purpose);
  await forgetWrongPasswords(context.signInLimiters, loginOf(account));
  await recordLink(context, EVENTS[purpose], account.id);
  if (purpose === 'password-reset') return sendDone(context);
  const { notBefore: signedInAt } = changed;
  const arrival = { accountId: account.id, email: loginOf(account), signedInAt, passwordHashDigest: digest(hash) };
  arrivalCookie(context).keep(context.res, arrival);
  context.res.redirect(303, pathOf(context.site, 'welcome'));
};

const EVENTS = { invitation: 'account.invitation-accepted', 'password-reset': 'account.password-reset' } as const;

/** Sends the form. External programs rely on the id of its button, `save-password`. */
function sendForm(context: LinkContext, purpose: PasswordPurpose, action: Action, problem?: NewPasswordProblem): void {
  const { res, site, language, path, tokens } = context;
  const { links, newPassword } = context.messages;
  const { account, email } = action;
  const isInvitation = purpose === 'invitation';
  const { submit } = isInvitation ? newPassword.first : newPassword;
  const buttons = html`<button class="wide" id="save-password" type="submit">${submit}</button>`;
  const person = { login: loginOf(account), name: account.name };
  const about = { ...person, withCurrent: false, first: isInvitation, problem };
  const form = { site, language, action: path, token: tokens[0], ...about, buttons };
  const lead = isInvitation ? links.invitation.lead(site.name) : links.reset.lead;
  const content = html`<p class="lead">${lead} ${shownAddress(email)}</p>
${newPasswordForm(form)}
<p class="fine">${isInvitation ? links.invitation.next : links.reset.next}</p>`;
  sendPage(context, {
    status: formStatus(res, problem),
    title: isInvitation ? links.invitation.title(account.name) : newPassword.title,
    showAddress: true,
    scripts: NEW_PASSWORD_SCRIPTS,
    content,
  });
}

/**
 * Confirms the change. The link of the page leads to a new sign-in and names no account, because on a shared computer another person may be
 * signed in.
 */
function sendDone(context: LinkContext): void {
  const { links } = context.messages;
  const { doneTitle, done } = links.reset;
  const next = context.signIn ? `${context.signIn}?${ANEW_PARAMETER}` : pathOf(context.site, 'newPassword');
  const content = html`<p class="lead">${done}</p>
<p class="choices"><a class="button" id="continue" href="${next}">${links.signInNow}</a></p>
<p class="fine">${links.otherDevice}</p>`;
  sendPage(context, { once: true, title: doneTitle, emblem: iconEmblem('check'), content });
}
