// The error page: what went wrong, what the person can do next, and facts for an integrator.

import type { ServerResponse } from 'node:http';
import { REQUEST_ID } from '#shared/log/log.ts';
import { iconEmblem } from '#web/components.ts';
import { type Html, html } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { type Application, waysOn } from './ways-on.ts';

export interface ErrorPage extends PageFrame {
  /** OAuth error code, or a code of the pages themselves (`expired`, `foreign_form`, `unusable_form`, `not_found`). */
  error: string;
  /** The id of the request, which the log also contains. */
  reference: string;
  /** The text of the page. By default it is the text that fits `error`. */
  text?: ErrorText;
  /**
   * Address at which the person can continue, and the label of the link to it. Without this, the page links to the application or the home
   * page.
   */
  again?: { href: string; label?: string };
  application?: Application | undefined;
  /** Description of the error for integrators, in English. */
  description?: string;
  /** Name of the wrong parameter. */
  parameter?: string;
  /** How a callback differs from the registered ones. The page shows this in its own language, instead of `description`. */
  difference?: CallbackDifference;
  /** True if there is no client with this client_id. The page says so in its own language, instead of showing `description`. */
  unknownClient?: boolean;
  /**
   * Set if a sign-out was refused. `session` is set if a session is still open; it has the address and the secret of the form that ends the
   * session.
   */
  signOut?: { session?: { action: string; xsrf: string } };
}

interface ErrorText {
  title: string;
  cause: string;
  remedy: string;
}

/** How an address differs from the registered addresses (`openid/clients/callback-difference.ts`). */
export interface CallbackDifference {
  /** The parts in which the address differs from the nearest registered address. Empty if there is no registered address. */
  parts: readonly (keyof Messages['error']['parts'])[];
  /** Number of registered addresses. */
  registered: number;
  /** True if the value is no address: it has no scheme or host, or cannot be parsed. */
  unreadable: boolean;
}

/** The keys in `Texts` of messages with a title, a cause and a remedy. */
export type ErrorIn<Texts> = { [Key in keyof Texts]: Texts[Key] extends ErrorText ? Key : never }[keyof Texts];

type KnownError = ErrorIn<Messages['error']>;

/** The key of the message for each error code. All other codes get the message of `invalid_request`. */
const KNOWN_ERRORS: Record<string, KnownError> = {
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

/** Returns the id of the request, which the log also contains. */
export function requestIdOf(res: ServerResponse): string {
  return String(res.getHeader(REQUEST_ID) ?? '');
}

/** Renders the error page. The caller sets the status. */
export function renderErrorPage(page: ErrorPage): string {
  const messages = messagesIn(page.language);
  const { title, cause, remedy } = page.text ?? messages.error[errorKey(page)];
  const content = html`<p class="lead">${cause}${page.signOut && stateOfSession(page.signOut, messages)}</p>
${page.signOut?.session && endOfSession(page.signOut.session, messages)}
<p class="remedy">${remedy}</p>
${
  page.again
    ? html`<p class="choices"><a class="button" id="again" href="${page.again.href}">${page.again.label ?? messages.error.again}</a></p>`
    : !page.signOut?.session && waysOn(page, { application: page.application })
}
<dl class="reference">
<dt>${messages.error.reference}</dt><dd>${page.reference}</dd>
<dt>${messages.error.code}</dt><dd>${page.error}</dd>
${page.parameter !== undefined && html`<dt>${messages.error.parameter}</dt><dd>${page.parameter}</dd>`}
${detail(page, messages)}
${(page.parameter ?? page.description) !== undefined && documents(page, messages)}
</dl>`;
  return renderPage({ ...page, title, problem: true, emblem: iconEmblem('warning'), content });
}

function stateOfSession({ session }: NonNullable<ErrorPage['signOut']>, { error }: Messages): Html {
  return session ? html` <strong>${error.stillSignedIn}</strong>` : html` ${error.notSignedIn}`;
}

/** Renders a button that ends the session although the sign-out was refused. Otherwise the session might stay open on a shared computer. */
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

function describeDifference(
  { parts, registered, unreadable }: CallbackDifference,
  messages: Messages['error'],
): Html | string {
  if (unreadable) return messages.unreadable;
  if (registered === 0) return messages.nothingRegistered;
  return html`<p>${messages.differs(registered)}</p>
<ul>${parts.map((part) => html`<li>${messages.parts[part]}</li>`)}</ul>
<p>${messages.exactly}</p>`;
}

// Recognizes descriptions of oidc-provider for a sign-in or sign-out that is over or began elsewhere. They need a message of their own,
// because their error code is the same as for a malformed request, for which people would blame the application.
const OVER = /session (id cookie )?not found|request has expired|mismatch|principal changed|xsrf|logout details/;

function errorKey({ error, description = '', signOut }: ErrorPage): KnownError {
  if (signOut && error !== 'server_error') return OVER.test(description) ? 'sign_out_expired' : 'sign_out';
  if (error === 'invalid_request' && OVER.test(description)) return 'expired';
  return (Object.hasOwn(KNOWN_ERRORS, error) && KNOWN_ERRORS[error]) || 'invalid_request';
}
