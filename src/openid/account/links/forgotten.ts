// Answers the request for a mail after a forgotten password. It does the same for every login: the worker of the queue of mails looks
// up the account. So neither text nor time, nor what follows on the connection, tells whether there is one (SEC-39, SEC-74).

import { countMail } from '#openid/sign-in/throttle.ts';
import { isEmailAddress } from '#shared/email-address.ts';
import { readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type ForgottenProblem, sendAskingPage, sendSentPage, sendWithoutMailPage } from './forgotten-pages.ts';
import type { LinkContext } from './link-context.ts';

/** Shows the page. Where no mail can be sent, it names the people to ask. */
export async function sendForgottenPage(context: LinkContext): Promise<void> {
  if (context.site.mailAvailable) sendAskingPage(context, { login: '' });
  else sendWithoutMailPage(context);
}

/** Answers the posted form. */
export async function askForReset(context: LinkContext): Promise<void> {
  const { req, site, csrf, language } = context;
  if (!site.mailAvailable) return sendWithoutMailPage(context);
  const { fields, stale } = readForm(req, csrf, ['login']);
  const login = (fields.login ?? '').trim();
  refuseControlCharacters('login', login);
  const refuse = (problem: ForgottenProblem) => sendAskingPage(context, { login, problem });
  if (stale) return refuse({ kind: 'stale' });
  if (!login) return refuse({ kind: 'missing' });
  if (!isEmailAddress(login)) return refuse({ kind: 'no-address' });
  const address = req.ip ?? '';
  const seconds = await countMail(context.signInLimiters, login, address);
  if (seconds > 0) return refuse({ kind: 'waiting', seconds });
  if (!(await context.mails.requestReset({ login, language, address })))
    return refuse({ kind: 'waiting', seconds: FULL });
  sendSentPage(context, login);
}

/** Seconds to wait where too many requests of others wait: a flood is worked off by then. */
const FULL = 60;
