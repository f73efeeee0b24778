// A forgotten password: the pages on which a person asks for a new password, the sealed request in the mail queue, and the answer to this
// request. A page is the same whether or not an account has the login, because only the worker of the mail queue looks up the account. So
// neither the text and the time of a response nor anything after it, such as the time of the next response, reveals whether there is an
// account (SEC-39, SEC-74). `shared/rate-limits.ts` limits how often somebody may ask, and `store/outbox/mail-queue.ts` limits the number
// of waiting requests.

import { countMail } from '#openid/sign-in/throttle.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { isEmailAddress } from '#shared/names.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { MailQueue, QueuedMail, ResetRequest } from '#store/outbox/mail-queue.ts';
import { iconEmblem, problemNotice } from '#web/components.ts';
import { formatDuration } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { addressAttributes, field } from '#web/forms/field.ts';
import { formStatus, readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';
import { outboxNote, whomToAsk } from '#web/pages/ways-on.ts';
import { type LinkContext, shownAddress, signInPath } from './link-context.ts';

type ForgottenProblem = { kind: 'stale' | 'missing' | 'no-address' } | Waiting;

/** Shows the page. If the service cannot send mail, the page says whom to ask instead. */
export async function sendForgottenPage(context: LinkContext): Promise<void> {
  if (context.site.mailAvailable) sendAskingPage(context, '');
  else sendWithoutMailPage(context);
}

/** Answers the posted form. */
export async function askForReset(context: LinkContext): Promise<void> {
  const { req, site, language } = context;
  if (!site.mailAvailable) return sendWithoutMailPage(context);
  const { fields, stale } = readForm(context, ['login']);
  const login = (fields.login ?? '').trim();
  refuseControlCharacters('login', login);
  const refuse = (problem: ForgottenProblem) => sendAskingPage(context, login, problem);
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

/**
 * Seconds that a person is asked to wait if too many requests are waiting in the mail queue. By then, the worker has answered these
 * requests.
 */
const FULL = 60;

interface ResetRequestOptions {
  queue: Pick<MailQueue, 'enqueue' | 'request'>;
  accounts: Pick<Accounts, 'findByEmail'>;
  /** Keys for requests in the mail queue. The first key seals new requests. All keys open existing requests. */
  sealingKeys(): readonly string[];
  audit: Pick<AuditTrail, 'record'>;
}

/**
 * Makes the functions that queue a request for a new password and answer it. A waiting request only has a sealed login, so that the queue
 * does not reveal which account it is about.
 */
export function resetRequests({ queue, accounts, sealingKeys, audit }: ResetRequestOptions) {
  return {
    /** Queues a request without looking up the account. Resolves with false if too many requests are waiting. */
    requestReset: ({ login, language, address }: Omit<ResetRequest, 'sealed'> & { address: string }) => {
      const sealed = seal(sealingKeys()[0] ?? '', JSON.stringify({ login, address }), REQUEST);
      return queue.request({ login, language, sealed });
    },
    /** Answers a queued request. If an active account has the login, the mail with the link is put into the queue. */
    answerRequest: async ({ language, details }: QueuedMail): Promise<void> => {
      const opened = unseal(sealingKeys(), String(details['sealed']), REQUEST) ?? '{"login":""}';
      const { login, address } = JSON.parse(opened) as { login: string; address?: string };
      const { account } = (await accounts.findByEmail(login)) ?? {};
      if (account?.status !== 'active') return;
      const about = { account: account.id, address };
      await audit.record({ event: 'account.password-reset-requested', actor: 'unknown', ...about });
      await queue.enqueue({ kind: 'password-reset', accountId: account.id, language });
    },
  };
}

const REQUEST = 'request for a new password';

/** Shows the page that asks for the login. External programs rely on the field `login` and on the id of the button, `send-link`. */
function sendAskingPage(context: LinkContext, login: string, problem?: ForgottenProblem): void {
  const { res, language, path, tokens } = context;
  const { links, signIn } = context.messages;
  const wrong = problem?.kind === 'missing' || problem?.kind === 'no-address' ? problem.kind : undefined;
  const content = html`<p class="lead">${links.forgotten.lead}</p>
${problem && !wrong && notice(context, problem)}
<form method="post" action="${path}" novalidate>
${csrfField(tokens[0])}
${field({
  language,
  id: 'login',
  label: signIn.login,
  attributes: addressAttributes('username', login),
  problem: wrong && { title: wrong === 'missing' ? signIn.loginMissing : links.forgotten.noAddress },
  focus: !problem || wrong !== undefined,
})}
<button class="wide" id="send-link" type="submit">${links.forgotten.submit}</button>
</form>
${wayBack(context)}
<p class="help">${links.forgotten.noMailbox} ${whomToAsk(context)}</p>`;
  sendPage(context, { status: formStatus(res, problem), title: links.forgotten.title, content });
}

/** Shows the page that tells the person to look for the mail. The text is the same whether or not there is an account. */
function sendSentPage(context: LinkContext, login: string): void {
  const { site, language, settings, path } = context;
  const { links } = context.messages;
  const content = html`<p class="lead">${links.forgotten.sent} ${shownAddress(login)}</p>
<p class="remedy">${links.forgotten.sentAdvice(formatDuration(settings.lifetimes.passwordReset, language))}</p>
${outboxNote(site, language)}
<div class="nothing-there"><h2>${links.forgotten.nothing}</h2>
<ul class="bullets">${links.forgotten.nothingAdvice.map((advice) => html`<li>${advice}</li>`)}</ul></div>
<div class="choices stacked">
<a class="button" id="to-sign-in" href="${signInPath(context)}">${links.back}</a>
<a class="button quiet" id="again" href="${path}">${links.forgotten.again}</a>
</div>
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  sendPage(context, { once: true, title: links.forgotten.sentTitle, emblem: iconEmblem('check'), content });
}

/** Shows the page of an installation without mail. It says whom to ask. */
function sendWithoutMailPage(context: LinkContext): void {
  const { forgotten } = context.messages.links;
  const content = html`<p class="lead">${forgotten.withoutMail}</p>
<p class="remedy">${whomToAsk(context)}</p>
${wayBack(context)}`;
  sendPage(context, { title: forgotten.title, content });
}

function wayBack(context: LinkContext): Html {
  return html`<div class="choices stacked"><a class="button quiet" id="to-sign-in" href="${signInPath(context)}">${context.messages.links.back}</a></div>`;
}

function notice({ language, messages }: LinkContext, problem: ForgottenProblem): Html {
  const { account, links } = messages;
  if (problem.kind !== 'waiting') return problemNotice(account.stale, links.forgotten.stale);
  return waitingNotice(links.forgotten, problem, language);
}
