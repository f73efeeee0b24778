// A person who has forgotten the password asks for a mail. The answer is the same for everybody, and is sent before anything is looked
// up: neither its text nor its time says who has an account (SEC-39, SEC-69).

import { isEmailAddress } from '../../shared/email-address.ts';
import { readForm, refuseControlCharacters } from '../../web/forms/form.ts';
import { type ForgottenProblem, sendAskingPage, sendSentPage, sendWithoutMailPage } from './forgotten-pages.ts';
import type { LinkContext } from './link-context.ts';

/** Shows the page; where no mail can be sent, it says whom to ask. */
export async function sendForgottenPage(context: LinkContext): Promise<void> {
  if (context.site.mailAvailable) sendAskingPage(context, { login: '' });
  else sendWithoutMailPage(context);
}

/** Answers the posted form. */
export async function askForReset(context: LinkContext): Promise<void> {
  const { req, site, csrf, log } = context;
  if (!site.mailAvailable) return sendWithoutMailPage(context);
  const { fields, stale } = readForm(req, csrf, ['login']);
  const login = (fields.login ?? '').trim();
  refuseControlCharacters('login', login);
  const refuse = (problem: ForgottenProblem) => sendAskingPage(context, { login, problem });
  if (stale) return refuse({ kind: 'stale' });
  if (!login) return refuse({ kind: 'missing' });
  if (!isEmailAddress(login)) return refuse({ kind: 'no-address' });
  const seconds = await context.countMail(login, req.ip ?? '');
  if (seconds > 0) return refuse({ kind: 'waiting', seconds });
  sendSentPage(context, login);
  // A process that is killed within these milliseconds sends none: the page says to ask again.
  await sendReset(context, login).catch((err: unknown) => log.error({ err }, 'a mail was not put into the queue'));
}

async function sendReset({ accounts, enqueue, audit, req, language }: LinkContext, login: string): Promise<void> {
  const { account } = (await accounts.findByEmail(login)) ?? {};
  if (account?.status !== 'active') return;
  const { id } = account;
  await audit.record({
    event: 'account.password-reset-requested',
    actor: 'unknown',
    account: id,
    address: req.ip,
  });
  await enqueue({ kind: 'password-reset', accountId: id, language });
}
