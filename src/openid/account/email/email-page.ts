// The page with a person's e-mail address. It says whether the address is verified, and has the form for another one.

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { part, sendSpacePage } from '#openid/account/space-page.ts';
import { breakable, problemNotice } from '#web/components.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { field } from '#web/forms/field.ts';
import { type Html, html } from '#web/html.ts';
import { formatTime } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';

export type EmailProblem =
  | { kind: 'stale' | 'missing' | 'no-address' | 'same' }
  | { kind: 'waiting' /** Until another mail may be asked for. */; seconds: number };

const STATUS = { stale: 403, missing: 422, 'no-address': 422, same: 422, waiting: 429 } as const;

/** Sends the page. The ids `verify-email` and `change-email` of the buttons are relied on from outside. */
export function sendEmailPage(
  context: PageContext,
  { typed = '', problem }: { typed?: string; problem?: EmailProblem },
): void {
  const { res, language } = context;
  const { links } = messagesIn(language);
  if (problem?.kind === 'waiting') res.set('retry-after', String(problem.seconds));
  const content = html`${problem && notice(context, problem)}
${part('present-address', links.address.current, present(context))}
${part('other-address', links.address.changeTitle, other(context, typed, problem))}`;
  sendSpacePage(context, {
    status: problem ? STATUS[problem.kind] : 200,
    section: 'profile',
    title: links.address.title,
    problem: problem !== undefined,
    content,
  });
}

function present({ req, site, account, language, path }: PageContext): Html {
  const { address } = messagesIn(language).links;
  const { email, emailVerified } = account;
  if (email === undefined) return html``;
  const verify = html`<form method="post" action="${path}">${csrfField(tokensOfSession(req.session)[0])}
<button class="quiet" id="verify-email" type="submit" name="action" value="verify">${address.verify}</button></form>`;
  return html`<div class="box"><p><strong class="address-shown">${breakable(email)}</strong></p>
<p class="state ${emailVerified ? 'state-on' : 'state-off'}">${emailVerified ? address.verified : address.unverified}</p>
${!emailVerified && site.mailAvailable && verify}</div>`;
}

function other(context: PageContext, typed: string, problem: EmailProblem | undefined): Html {
  const { req, site, language, path } = context;
  const { links, account } = messagesIn(language);
  const { address, forgotten } = links;
  if (!site.mailAvailable) return html`<p>${address.withoutMail} ${whomToAsk(context)}</p>`;
  const texts = { missing: address.missing, 'no-address': forgotten.noAddress, same: address.same };
  const wrong = problem && problem.kind in texts ? texts[problem.kind as keyof typeof texts] : undefined;
  return html`<p>${address.changeLead}</p>
<form method="post" action="${path}" novalidate>
${csrfField(tokensOfSession(req.session)[0])}
${field({
  language,
  id: 'email',
  label: address.new,
  attributes: html` inputmode="email" autocomplete="email" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${typed}"`,
  problem: wrong === undefined ? undefined : { title: wrong },
  focus: wrong !== undefined,
})}
<div class="choices stacked">
<button id="change-email" type="submit" name="action" value="change">${address.submit}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${account.cancel}</a>
</div>
</form>`;
}

function notice({ language }: PageContext, problem: EmailProblem): Html | undefined {
  const { account, links } = messagesIn(language);
  if (problem.kind === 'stale')
    return problemNotice(account.stale, html`<p>${account.staleAdvice}</p>`, { focus: true });
  if (problem.kind !== 'waiting') return undefined;
  const advice = links.forgotten.waitingAdvice(formatTime(Date.now() / 1000 + problem.seconds, language));
  return problemNotice(links.forgotten.waiting, html`<p>${advice}</p>`, { focus: true });
}
