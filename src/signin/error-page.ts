// Owns the page that says what went wrong, what the person can do, and what an integrator needs to know.
// Does not own the errors: the OpenID provider's, or those of the pages themselves.

import { iconEmblem } from '../web/components.ts';
import { type Html, html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { type Messages, messagesIn } from '../web/messages.ts';
import type { Site } from '../web/site.ts';

export interface ErrorPage {
  site: Site;
  language: Language;
  /** Address of the page in another language; only for pages that can be asked for again. */
  languageLink?: ((language: Language) => string) | undefined;
  /** OAuth error code, or one of the pages' own (`expired`, `foreign_form`, `unusable_form`, `not_found`). */
  error: string;
  /** For integrators, in English. */
  description?: string;
  /** Name of the parameter at fault. */
  parameter?: string;
  /** Of an address, from those registered: said in the page's language in place of the description. */
  difference?: Difference;
  /** The client_id is nobody's: said in the page's language in place of the description. */
  unknownClient?: boolean;
  /** A sign-out was refused; `session` is the one that is still open, and the form that ends it. */
  signOut?: { session?: { action: string; xsrf: string } };
  /** The request's id, as in the log. */
  reference: string;
  /** Path at which the person can go on. */
  again?: string;
}

export interface Difference {
  parts: readonly (keyof Messages['error']['parts'])[];
  /** How many addresses are registered. */
  registered: number;
  unreadable: boolean;
}

/** The faults that have a title, a cause and a remedy. */
type Fault = {
  [Key in keyof Messages['error']]: Messages['error'][Key] extends { remedy: string } ? Key : never;
}[keyof Messages['error']];

/** Codes that mean the same to a person as another one. */
const SAME_AS: Record<string, Fault> = {
  unauthorized_client: 'invalid_client',
  invalid_redirect_uri: 'invalid_redirect_uri',
  temporarily_unavailable: 'server_error',
  server_error: 'server_error',
  invalid_client: 'invalid_client',
  access_denied: 'access_denied',
  expired: 'expired',
  foreign_form: 'foreign_form',
  unusable_form: 'unusable_form',
  not_found: 'not_found',
};

/** The error page. Pure: the caller sets the status. */
export function renderErrorPage(page: ErrorPage): string {
  const messages = messagesIn(page.language);
  const { title, cause, remedy } = messages.error[faultOf(page)];
  const content = html`<p class="lead">${cause}${page.signOut && stateOfSession(page.signOut, messages)}</p>
${page.signOut?.session && endOfSession(page.signOut.session, messages)}
<p class="remedy">${remedy}</p>
${page.again !== undefined && html`<p class="choices"><a class="button" href="${page.again}">${messages.error.again}</a></p>`}
<dl class="reference">
<dt>${messages.error.reference}</dt><dd>${page.reference}</dd>
<dt>${messages.error.code}</dt><dd>${page.error}</dd>
${page.parameter !== undefined && html`<dt>${messages.error.parameter}</dt><dd>${page.parameter}</dd>`}
${detail(page, messages)}
${(page.parameter ?? page.description) !== undefined && documents(page, messages)}
</dl>`;
  return renderPage({
    site: page.site,
    language: page.language,
    languageLink: page.languageLink,
    title,
    problem: true,
    emblem: iconEmblem('warning'),
    content,
  });
}

function stateOfSession({ session }: NonNullable<ErrorPage['signOut']>, { error }: Messages): Html {
  return session ? html` <strong>${error.stillSignedIn}</strong>` : html` ${error.notSignedIn}`;
}

/** On a shared computer nobody goes away while the session is open: the way out that the application did not find. */
function endOfSession({ action, xsrf }: { action: string; xsrf: string }, { error }: Messages): Html {
  return html`<form id="op.logoutForm" class="choices" method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}">
<button id="end-session" type="submit" name="logout" value="yes">${error.endSession}</button></form>`;
}

function documents({ site }: ErrorPage, { error, home }: Messages): Html {
  const discovery = `${site.base}/.well-known/openid-configuration`;
  return html`<dt class="whole">${error.integrators}</dt><dd class="whole"><a href="${discovery}">${home.discovery}</a></dd>`;
}

function detail({ description, difference, unknownClient }: ErrorPage, { error }: Messages): Html | undefined {
  if (unknownClient) return html`<dt class="whole">${error.detail}</dt><dd class="whole">${error.unknownClient}</dd>`;
  if (difference)
    return html`<dt class="whole">${error.comparison}</dt><dd class="whole">${describeDifference(difference, error)}</dd>`;
  if (description === undefined) return undefined;
  return html`<dt class="whole">${error.detail}</dt><dd class="whole" lang="en">${description}</dd>`;
}

function describeDifference({ parts, registered, unreadable }: Difference, messages: Messages['error']): Html | string {
  if (unreadable) return messages.unreadable;
  if (registered === 0) return messages.nothingRegistered;
  return html`<p>${messages.differs(registered)}</p>
<ul>${parts.map((part) => html`<li>${messages.parts[part]}</li>`)}</ul>
<p>${messages.exactly}</p>`;
}

// What the provider says when a sign-in or a sign-out is over or was begun elsewhere; its code is the one of every faulty
// request, for which people would look to the application.
const OVER = /session (id cookie )?not found|request has expired|mismatch|principal changed|xsrf|logout details/;

function faultOf({ error, description = '', signOut }: ErrorPage): Fault {
  if (signOut && error !== 'server_error') return OVER.test(description) ? 'sign_out_expired' : 'sign_out';
  if (error === 'invalid_request' && OVER.test(description)) return 'expired';
  return (Object.hasOwn(SAME_AS, error) && SAME_AS[error]) || 'invalid_request';
}
