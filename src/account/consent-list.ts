// The remembered consents on the account overview: each application that the person has allowed something, with a button that
// revokes it (`revoke-consent.ts`).

import { csrfField } from '../web/csrf.ts';
import { type Html, html } from '../web/html.ts';
import type { PageFrame } from '../web/layout.ts';
import { messagesIn } from '../web/messages.ts';
import { scopeLabel } from '../web/scope-labels.ts';
import { pathOf } from './page-context.ts';
import type { AllowedApplication } from './sign-in.ts';

export interface ConsentList extends PageFrame {
  token: string;
  applications: readonly AllowedApplication[];
}

/** The list, or that there is none. */
export function consentList(page: ConsentList): Html {
  const { applications, language } = page;
  const { account } = messagesIn(language);
  if (applications.length === 0) return html`<p class="none">${account.noApplications}</p>`;
  return html`<p class="none">${account.applicationsAbout}</p>
<ul class="allowed">${applications.map((application) => consent(application, page))}</ul>`;
}

function consent({ id, name, scopes }: AllowedApplication, { site, language, token }: ConsentList): Html {
  const { revoke, revokeOf } = messagesIn(language).account;
  return html`<li class="box"><h3>${name}</h3>
<ul class="scope-list">${scopes.map((scope) => html`<li>${scopeLabel(scope, language)}</li>`)}</ul>
<form method="post" action="${pathOf(site, 'overview')}">${csrfField(token)}<input type="hidden" name="client" value="${id}">
<button class="quiet small" id="withdraw-${id}" type="submit" aria-label="${revokeOf(name)}">${revoke}</button></form></li>`;
}
