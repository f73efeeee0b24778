// Lets a person verify or change their e-mail address. A link is sent to a new address, and the old address stays in use until the link is
// opened. If the new address belongs to somebody else, the response is the same as for any other address. Only the mail says that the
// address is taken, because the reader of the mail owns the address (SEC-69).

import { type AccountContext, leadTo, record } from '#openid/account/page-context.ts';
import { choices, part, sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { countMail } from '#openid/sign-in/throttle.ts';
import { isEmailAddress } from '#shared/names.ts';
import { breakable } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { addressAttributes, field } from '#web/forms/field.ts';
import { formStatus, readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';

type EmailProblem = { kind: 'stale' | 'missing' | 'no-address' | 'same' } | Waiting;

/** Shows the page. */
export async function showEmail(context: AccountContext): Promise<void> {
  sendEmailPage(context, {});
}

/** Answers the posted form. With the action `verify`, a link is sent to the present address; with `change`, to another address. */
export async function answerEmail(context: AccountContext): Promise<void> {
  const { req, site, account, language } = context;
  const { fields, stale } = readForm(context, ['action', 'email']);
  const verify = fields.action === 'verify';
  if (!verify && fields.action !== 'change') throw new UnusableForm(400, 'the field action must be verify or change');
  const present = account.email ?? '';
  const typed = verify ? present : (fields.email ?? '').trim();
  refuseControlCharacters('email', typed);
  const refuse = (problem: EmailProblem) => sendEmailPage(context, { typed: verify ? '' : typed, problem });
  if (stale) return refuse({ kind: 'stale' });
  if (!site.mailAvailable || (verify && account.emailVerified)) return leadTo(context, 'email');
  if (!typed) return refuse({ kind: 'missing' });
  if (!verify && !isEmailAddress(typed)) return refuse({ kind: 'no-address' });
  if (!verify && typed.toLowerCase() === present.toLowerCase()) return refuse({ kind: 'same' });
  const seconds = await countMail(context.signInLimiters, account.id, req.ip ?? '');
  if (seconds > 0) return refuse({ kind: 'waiting', seconds });

  const accountId = account.id;
  const state = await context.actionTokens.stateOf(accountId);
  if (state === undefined) return refuse({ kind: 'stale' });
  const mail = { accountId, language, details: { state } };
  if (verify) await context.mails.enqueue({ ...mail, kind: 'email-verification' });
  else {
    await record(context, 'account.email-change-requested');
    await context.mails.enqueue({ ...mail, kind: 'email-change', to: typed });
  }
  leadTo(context, 'email', { kind: verify ? 'verification-sent' : 'email-change-sent', email: typed });
}

/** Sends the page. External programs rely on the ids of its buttons, `verify-email` and `change-email`. */
function sendEmailPage(
  context: AccountContext,
  { typed = '', problem }: { typed?: string; problem?: EmailProblem },
): void {
  const { address } = context.messages.links;
  const content = html`${problem && notice(context, problem)}
${part('present-address', address.current, present(context))}
${part('other-address', address.changeTitle, other(context, typed, problem))}`;
  sendSpacePage(context, {
    status: formStatus(context.res, problem),
    section: 'profile',
    title: address.title,
    content,
  });
}

function present({ site, account, messages, path, tokens }: AccountContext): Html {
  const { address } = messages.links;
  const { email, emailVerified } = account;
  if (email === undefined) return html``;
  const verify = html`<form method="post" action="${path}">${csrfField(tokens[0])}
<button class="quiet" id="verify-email" type="submit" name="action" value="verify">${address.verify}</button></form>`;
  return html`<div class="box"><p><strong class="address-shown">${breakable(email)}</strong></p>
<p class="state ${emailVerified ? 'state-on' : 'state-off'}">${emailVerified ? address.verified : address.unverified}</p>
${!emailVerified && site.mailAvailable && verify}</div>`;
}

function other(context: AccountContext, typed: string, problem: EmailProblem | undefined): Html {
  const { site, language, messages, path, tokens } = context;
  const { address, forgotten } = messages.links;
  if (!site.mailAvailable) {
    return html`<p>${address.withoutMail} ${whomToAsk(context)}</p>
${choices(context, html``, 'profile', messages.profile.back)}`;
  }
  const texts = { missing: address.missing, 'no-address': forgotten.noAddress, same: address.same };
  const wrong = problem && problem.kind in texts ? texts[problem.kind as keyof typeof texts] : undefined;
  return html`<p>${address.changeLead}</p>
<form method="post" action="${path}" novalidate>
${csrfField(tokens[0])}
${field({
  language,
  id: 'email',
  label: address.new,
  attributes: addressAttributes('email', typed),
  problem: wrong === undefined ? undefined : { title: wrong },
  focus: wrong !== undefined,
})}
${choices(context, html`<button id="change-email" type="submit" name="action" value="change">${address.submit}</button>`, 'profile')}
</form>`;
}

function notice(context: AccountContext, problem: EmailProblem): Html | undefined {
  if (problem.kind === 'stale') return staleNotice(context);
  if (problem.kind !== 'waiting') return undefined;
  return waitingNotice(context.messages.links.forgotten, problem, context.language);
}
