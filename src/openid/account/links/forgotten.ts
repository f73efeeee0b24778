// Answers the request for a mail after a forgotten password. It does the same for every login, and the mail queue's worker looks up the
// account. So neither text nor time nor the further behaviour of the connection reveals whether there is one (SEC-39, SEC-74).

import { countMail } from '#openid/sign-in/throttle.ts';
import { isEmailAddress } from '#shared/email-address.ts';
import { readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type ForgottenProblem, sendAskingPage, sendSentPage, sendWithoutMailPage } from './forgotten-pages.ts';
import type { LinkContext } from './link-context.ts';

/** Shows the page. If no mail can be sent, it names the people to ask. */
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

/** Seconds to wait if too many other requests are waiting: a flood is worked off by then. */
const FULL = 60;
