// The pages about a forgotten password: the request for a mail, the confirmation, and the text of an installation without mail.

import { iconEmblem, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { field } from '#web/forms/field.ts';
import { type Html, html } from '#web/html.ts';
import { formatDuration, formatTime } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { outboxNote, whomToAsk } from '#web/pages/ways-on.ts';
import type { LinkContext } from './link-context.ts';
import { sendLinkPage, shownAddress, signInPath } from './link-pages.ts';

export type ForgottenProblem =
  | { kind: 'stale' | 'missing' | 'no-address' }
  | { kind: 'waiting' /** Until another mail may be asked for. */; seconds: number };

const STATUS = { stale: 403, missing: 422, 'no-address': 422, waiting: 429 } as const;

/** Asks for the address. The field `login` and the button's id `send-link` are relied on from outside. */
export function sendAskingPage(
  context: LinkContext,
  { login, problem }: { login: string; problem?: ForgottenProblem },
): void {
  const { res, language, path, csrf } = context;
  const { links, signIn } = messagesIn(language);
  if (problem?.kind === 'waiting') res.set('retry-after', String(problem.seconds));
  const wrong = problem?.kind === 'missing' || problem?.kind === 'no-address' ? problem.kind : undefined;
  const content = html`<p class="lead">${links.forgotten.lead}</p>
${problem && !wrong && notice(context, problem)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf[0])}
${field({
  language,
  id: 'login',
  label: signIn.login,
  attributes: html` inputmode="email" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${login}"`,
  problem: wrong && { title: wrong === 'missing' ? signIn.loginMissing : links.forgotten.noAddress },
  focus: !problem || wrong !== undefined,
})}
<button class="wide" id="send-link" type="submit">${links.forgotten.submit}</button>
</form>
${wayBack(context)}
<p class="help">${links.forgotten.noMailbox} ${whomToAsk(context)}</p>`;
  const status = problem ? STATUS[problem.kind] : 200;
  sendLinkPage(context, { status, title: links.forgotten.title, problem: problem !== undefined, content });
}

/** Describes the next step. The text is the same whether there is such an account or not. */
export function sendSentPage(context: LinkContext, login: string): void {
  const { site, language, settings, path } = context;
  const { links } = messagesIn(language);
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
  sendLinkPage(context, { once: true, title: links.forgotten.sentTitle, emblem: iconEmblem('check'), content });
}

/** Shows a way on even in an installation without mail. */
export function sendWithoutMailPage(context: LinkContext): void {
  const { forgotten } = messagesIn(context.language).links;
  const content = html`<p class="lead">${forgotten.withoutMail}</p>
<p class="remedy">${whomToAsk(context)}</p>
${wayBack(context)}`;
  sendLinkPage(context, { title: forgotten.title, content });
}

function wayBack(context: LinkContext): Html {
  return html`<div class="choices stacked"><a class="button quiet" id="to-sign-in" href="${signInPath(context)}">${messagesIn(context.language).links.back}</a></div>`;
}

function notice({ language }: LinkContext, problem: ForgottenProblem): Html {
  const { account, links } = messagesIn(language);
  if (problem.kind !== 'waiting') {
    return problemNotice(account.stale, html`<p>${links.forgotten.stale}</p>`, { focus: true });
  }
  const advice = links.forgotten.waitingAdvice(formatTime(Date.now() / 1000 + problem.seconds, language));
  return problemNotice(links.forgotten.waiting, html`<p>${advice}</p>`, { focus: true });
}
