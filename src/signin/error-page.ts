// Owns the page that says what went wrong, what the person can do, and what an integrator needs to know.
// Does not own the errors: the OpenID provider's, or those of the pages themselves.

import { html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { iconEmblem } from '../web/parts.ts';
import type { Site } from '../web/site.ts';
import { type Words, wordsIn } from '../web/words.ts';

export interface ErrorPage {
  site: Site;
  language: Language;
  /** Address of the page in another language; only for pages that can be asked for again. */
  languageLink?: ((language: Language) => string) | undefined;
  /** OAuth error code, or one of the pages' own (`expired`, `foreign_form`, `unusable_form`, `not_found`). */
  error: string;
  /** For integrators, in English. */
  description?: string;
  /** The request's id, as in the log. */
  reference: string;
  /** Path at which the person can go on. */
  again?: string;
}

type Fault = Exclude<keyof Words['error'], 'again' | 'reference' | 'code' | 'detail'>;

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
  const words = wordsIn(page.language);
  const { title, cause, remedy } = words.error[faultOf(page)];
  const content = html`<p class="lead">${cause}</p>
<p class="remedy">${remedy}</p>
${page.again !== undefined && html`<p class="choices"><a class="button" href="${page.again}">${words.error.again}</a></p>`}
<dl class="reference">
<dt>${words.error.reference}</dt><dd>${page.reference}</dd>
<dt>${words.error.code}</dt><dd>${page.error}</dd>
${page.description !== undefined && html`<dt>${words.error.detail}</dt><dd lang="en">${page.description}</dd>`}
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

// What the provider says when a sign-in or a sign-out is over or was begun elsewhere; its code is the one of every faulty
// request, for which people would look to the application.
const OVER = /session (id cookie )?not found|request has expired|mismatch|principal changed|xsrf|logout details/;

function faultOf({ error, description = '' }: ErrorPage): Fault {
  if (error === 'invalid_request' && OVER.test(description)) return 'expired';
  return (Object.hasOwn(SAME_AS, error) && SAME_AS[error]) || 'invalid_request';
}
