// Shows the applications that a person has given consent to, each with a button to revoke it (`revoke-consent.ts`).

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { type Html, html } from '#web/html.ts';
import { scopeLabel } from '#web/labels.ts';
import { formatDate } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import type { AllowedApplication } from './allowed-applications.ts';

/** Shows the page. `stale` means that a form no longer fitted the browser's session. */
export async function sendApplications(context: PageContext, { stale = false } = {}): Promise<void> {
  const { language, account, applications } = context;
  const { account: messages } = messagesIn(language);
  const allowed = await applications.list(account.id);
  const list =
    allowed.length > 0 && html`<ul class="allowed">${allowed.map((application) => consent(application, context))}</ul>`;
  const content = html`<p class="lead">${list ? messages.applicationsAbout : messages.noApplications}</p>
${stale && staleNotice(language)}
${list}`;
  const title = messages.applicationsTitle;
  sendSpacePage(context, { status: stale ? 403 : 200, section: 'applications', title, problem: stale, content });
}

function consent({ id, name, scopes, since }: AllowedApplication, { req, site, language }: PageContext): Html {
  const { allowedSince, revoke, revokeAbout, revokeOf } = messagesIn(language).account;
  const [token] = tokensOfSession(req.session);
  return html`<li class="box"><h2>${name}</h2>
<p class="since">${allowedSince(formatDate(since, language))}</p>
<ul class="scope-list">${scopes.map((scope) => html`<li>${scopeLabel(scope, language)}</li>`)}</ul>
<details class="withdrawal"><summary aria-label="${revokeOf(name)}">${revoke}</summary>
<p>${revokeAbout}</p>
<form method="post" action="${pathOf(site, 'applications')}">${csrfField(token)}<input type="hidden" name="client" value="${id}">
<button class="danger small" id="withdraw-${id}" type="submit">${revokeOf(name)}</button></form></details></li>`;
}
