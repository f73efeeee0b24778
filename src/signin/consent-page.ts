// Owns the page that asks a person whether a client may use the account, in words (SEC-36).
// Does not own which scopes exist (`src/oidc/policy.ts`) nor what is recorded.

import { initialEmblem, personCard, problemNotice } from '../web/components.ts';
import { TOKEN_FIELD } from '../web/csrf.ts';
import { type Html, html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { type Messages, messagesIn } from '../web/messages.ts';
import { scopeLabel } from '../web/scope-labels.ts';
import type { Site } from '../web/site.ts';

export interface ConsentPage {
  site: Site;
  language: Language;
  languageLink: (language: Language) => string;
  /** Path of the page; the forms are posted to `/consent` and `/other-account` below it. */
  path: string;
  token: string;
  clientName: string;
  callback: string;
  scopes: readonly string[];
  /** Seconds for which `offline_access` lasts at most. */
  offlineFor?: number | undefined;
  account?: { name: string; email: string };
  /** The form that was sent no longer fitted the browser's session. */
  stale?: boolean;
}

/** Scopes that hand over what is known of the person; the others let the client act. */
const READS = ['openid', 'profile', 'email'];

/** The consent page. The buttons' ids `allow` and `refuse` are relied on from outside. */
export function renderConsentPage(page: ConsentPage): string {
  const messages = messagesIn(page.language);
  const { consent } = messages;
  const reads = READS.filter((scope) => page.scopes.includes(scope));
  const acts = page.scopes.filter((scope) => !READS.includes(scope));
  const token = html`<input type="hidden" name="${TOKEN_FIELD}" value="${page.token}">`;
  const otherAccount = html`<form method="post" action="${page.path}/other-account">${token}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const content = html`<p class="lead">${consent.introduction}</p>
${page.stale && problemNotice(consent.stale, html`<p>${consent.staleAdvice}</p>`, { focus: true })}
${page.account && personCard(page.account, consent.signedInAs, otherAccount)}
${
  page.scopes.length > 0 &&
  html`<div class="scopes">${list(consent.reads, reads, page)}${list(consent.acts, acts, page)}</div>`
}
<form class="decision" method="post" action="${page.path}/consent">${token}
<div class="choices">
<button id="allow" type="submit" name="choice" value="allow">${consent.allow}</button>
<button id="refuse" class="quiet" type="submit" name="choice" value="refuse">${consent.refuse}</button>
</div>
</form>
<p class="fine">${consent.destination(placeOf(page.callback, messages))}</p>`;
  return renderPage({
    site: page.site,
    language: page.language,
    languageLink: page.languageLink,
    title: consent.title(page.clientName),
    problem: page.stale ?? false,
    emblem: initialEmblem(page.clientName),
    content,
  });
}

function list(heading: string, scopes: readonly string[], page: ConsentPage): Html | undefined {
  if (scopes.length === 0) return undefined;
  return html`<h2>${heading}</h2><ul>${scopes.map((scope) => html`<li>${scopeLabel(scope, page.language, page.offlineFor)}</li>`)}</ul>`;
}

/** Host of a web callback; an app's own scheme says nothing to people. */
function placeOf(callback: string, { consent }: Messages): string {
  const url = URL.parse(callback);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.host : consent.application;
}
