// A forgotten password: the pages (the request for a mail, the confirmation, the text of an installation without mail), the sealed request
// that they queue, and its answer. The page is the same for every login, and the mail queue's worker looks up the account. So neither text
// nor time nor the further behaviour of the connection reveals whether there is one (SEC-39, SEC-74). How often one may
// ask stands in `shared/rate-limits.ts`, how many requests may wait in `store/outbox/mail-queue.ts`.

import { countMail } from '#openid/sign-in/throttle.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';
import { isEmailAddress } from '#shared/email-address.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { MailQueue, QueuedMail, ResetRequest } from '#store/outbox/mail-queue.ts';
import { iconEmblem, problemNotice } from '#web/components.ts';
import { formatDuration } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { addressAttributes, field } from '#web/forms/field.ts';
import { formStatus, readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/pages/send-page.ts';
import { outboxNote, whomToAsk } from '#web/pages/ways-on.ts';
import { type LinkContext, shownAddress, signInPath } from './link-context.ts';

type ForgottenProblem = { kind: 'stale' | 'missing' | 'no-address' } | Waiting;

/** Shows the page. If no mail can be sent, it names the people to ask. */
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

/** Seconds to wait if too many other requests are waiting: a flood is worked off by then. */
const FULL = 60;

interface ResetRequestOptions {
  queue: Pick<MailQueue, 'enqueue' | 'request'>;
  accounts: Pick<Accounts, 'findByEmail'>;
  /** Keys for the requests of strangers. The first one seals, all can open. */
  sealingKeys(): readonly string[];
  audit: Pick<AuditTrail, 'record'>;
}

/** Makes the two ends of a request for a new password, between which it waits in the mail queue without naming an account. */
export function resetRequests({ queue, accounts, sealingKeys, audit }: ResetRequestOptions) {
  return {
    /** Queues a request, whether or not an account has that login. Resolves with false if too many requests wait. */
    requestReset: ({ login, language, address }: Omit<ResetRequest, 'sealed'> & { address: string }) => {
      const sealed = seal(sealingKeys()[0] ?? '', JSON.stringify({ login, address }), REQUEST);
      return queue.request({ login, language, sealed });
    },
    /** Puts the mail with the link into the queue, if an active account has the login. */
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

/** Asks for the address. The field `login` and the button's id `send-link` are relied on from outside. */
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

/** Describes the next step. The text is the same whether there is such an account or not. */
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

/** Shows a way on even in an installation without mail. */
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
