// A forgotten password: its pages, the sealed request that they put into the mail queue, and the answer to that request. The pages are the
// same for every login, and the worker of the mail queue looks up the account. So neither their text nor their time nor the connection
// reveals whether there is an account (SEC-39, SEC-74). `shared/rate-limits.ts` limits how often somebody may ask,
// `store/outbox/mail-queue.ts` limits the requests that wait.

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

/** Shows the page. If no mail can be sent, the page names the people to ask. */
export async function sendForgottenPage(context: LinkContext): Promise<void> {
  if (context.site.mailAvailable) sendAskingPage(context, '');
  else sendWithoutMailPage(context);
}

/** Answers the posted form. */
export async function askForReset(context: LinkContext): Promise<void> {
  const { req, site, tokens, language } = context;
  if (!site.mailAvailable) return sendWithoutMailPage(context);
  const { fields, stale } = readForm(req, tokens, ['login']);
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

/** Seconds that a person is asked to wait when the mail queue is full of requests. The worker has answered them by then. */
const FULL = 60;

interface ResetRequestOptions {
  queue: Pick<MailQueue, 'enqueue' | 'request'>;
  accounts: Pick<Accounts, 'findByEmail'>;
  /** Keys for the requests of strangers. The first one seals; all of them open. */
  sealingKeys(): readonly string[];
  audit: Pick<AuditTrail, 'record'>;
}

/**
 * Makes the functions that queue and answer a request for a new password. While it waits in the mail queue, the request names no account.
 */
export function resetRequests({ queue, accounts, sealingKeys, audit }: ResetRequestOptions) {
  return {
    /** Queues a request, whether or not an account has that login. Resolves with false if too many requests wait. */
    requestReset: ({ login, language, address }: Omit<ResetRequest, 'sealed'> & { address: string }) => {
      const sealed = seal(sealingKeys()[0] ?? '', JSON.stringify({ login, address }), REQUEST);
      return queue.request({ login, language, sealed });
    },
    /** Answers a queued request: puts the mail with the link into the queue, if an active account has the login. */
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

/** Asks for the login. Programs of others rely on the field `login` and the button's id `send-link`. */
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

/** Describes the next step. The text is the same whether or not the account exists. */
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

/** Tells the people of an installation without mail whom to ask. */
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
