// A person verifies their e-mail address or changes it. The new address gets a link, and the old one stays until the link is opened. The
// response is the same for an address that belongs to somebody else: only the mail says so, and its reader owns the address (SEC-69).

import { accountSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { countMail } from '#openid/sign-in/throttle.ts';
import { isEmailAddress } from '#shared/email-address.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import { readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { type EmailProblem, sendEmailPage } from './email-page.ts';

/** Shows the page. */
export async function showEmail(context: PageContext): Promise<void> {
  sendEmailPage(context, {});
}

/** Answers the posted form: `verify` asks for a link to the present address, `change` for one to another. */
export async function answerEmail(context: PageContext): Promise<void> {
  const { req, res, site, account, language } = context;
  const { fields, stale } = readForm(req, tokensOfSession(req.session), ['action', 'email']);
  const verify = fields.action === 'verify';
  if (!verify && fields.action !== 'change') throw new UnusableForm(400, 'the field action must be verify or change');
  const present = account.email ?? '';
  const typed = verify ? present : (fields.email ?? '').trim();
  refuseControlCharacters('email', typed);
  const refuse = (problem: EmailProblem) => sendEmailPage(context, { typed: verify ? '' : typed, problem });
  if (stale) return refuse({ kind: 'stale' });
  if (!site.mailAvailable || (verify && account.emailVerified)) return res.redirect(303, pathOf(site, 'email'));
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
  accountSession(req).notice = { kind: verify ? 'verification-sent' : 'email-change-sent', email: typed };
  res.redirect(303, pathOf(site, 'email'));
}
