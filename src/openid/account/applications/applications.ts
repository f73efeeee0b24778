// Shows a person the applications to which they have given consent, and lets them revoke each consent (SEC-36).

import { type AccountContext, leadTo, pathOf } from '#openid/account/page-context.ts';
import { sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { formatDate } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { scopeLabel } from '#web/messages.ts';
import type { AllowedApplication } from './allowed-applications.ts';

/** Shows the page. With `stale`, it says that a posted form did not belong to this session of the browser. */
export async function sendApplications(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { messages, account, applications } = context;
  const { applicationsTitle: title, applicationsAbout, noApplications } = messages.account;
  const allowed = await applications.list(account.id);
  const list =
    allowed.length > 0 && html`<ul class="allowed">${allowed.map((application) => consent(application, context))}</ul>`;
  const content = html`<p class="lead">${list ? applicationsAbout : noApplications}</p>
${stale && staleNotice(context)}
${list}`;
  sendSpacePage(context, { status: stale ? 403 : 200, section: 'applications', title, content });
}

function consent({ id, name, scopes, since }: AllowedApplication, context: AccountContext): Html {
  const { site, language, messages, tokens } = context;
  const { allowedSince, revoke, revokeAbout, revokeOf } = messages.account;
  return html`<li class="box"><h2>${name}</h2>
<p class="since">${allowedSince(formatDate(since, language))}</p>
<ul class="scope-list">${scopes.map((scope) => html`<li>${scopeLabel(scope, language)}</li>`)}</ul>
<details class="withdrawal"><summary aria-label="${revokeOf(name)}">${revoke}</summary>
<p>${revokeAbout}</p>
<form method="post" action="${pathOf(site, 'applications')}">${csrfField(tokens[0])}<input type="hidden" name="client" value="${id}">
<button class="danger small" id="withdraw-${id}" type="submit">${revokeOf(name)}</button></form></details></li>`;
}

/** Revokes the person's consent to an application. */
export async function revokeConsent(context: AccountContext): Promise<void> {
  const { req, applications, audit } = context;
  const accountId = context.account.id;
  const { fields, stale } = readForm(context, ['client']);
  const clientId = fields.client;
  if (clientId === undefined) throw new UnusableForm(400, 'send the field client');
  refuseControlCharacters('client', clientId);
  if (stale) return sendApplications(context, { stale });

  // Only a consent that the page lists can be revoked. The page does not list the consent to the service itself. It usually lists no
  // application that the operator trusts, because such an application needs no consent.
  const application = (await applications.list(accountId)).find(({ id }) => id === clientId);
  if (application && (await applications.revoke(accountId, clientId))) {
    const actor = `account:${accountId}` as const;
    await audit.record({ event: 'consent.withdrawn', actor, account: accountId, client: clientId, address: req.ip });
    return leadTo(context, 'applications', { kind: 'consent-revoked', client: application.name });
  }
  leadTo(context, 'applications');
}
