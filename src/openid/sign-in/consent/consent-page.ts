// The page that asks a person whether a client may use the account, each scope in plain language (SEC-36).

import type { InteractionDetails } from '#openid/sign-in/interaction-details.ts';
import { initialEmblem, personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type Html, html } from '#web/html.ts';
import { scopeLabel } from '#web/labels.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { type Messages, messagesIn } from '#web/messages.ts';

interface ConsentPage extends PageFrame {
  interaction: InteractionDetails;
  /** Path of the page. Its forms are posted to `/consent` and `/other-account` below it. */
  path: string;
  token: string;
  /** The form that was sent no longer fitted the browser's session. */
  stale: boolean;
}

/** Scopes that reveal data about the person. The others let the client act. */
const READS = ['openid', 'profile', 'fhirUser', 'email'];

/** The consent page. The buttons' ids `allow` and `refuse` are relied on from outside. */
export function renderConsentPage(page: ConsentPage): string {
  const { interaction, stale } = page;
  const { account, client, scopes } = interaction;
  const { consent } = messagesIn(page.language);
  const reads = READS.filter((scope) => scopes.includes(scope));
  const acts = scopes.filter((scope) => !READS.includes(scope));
  const token = csrfField(page.token);
  const otherAccount = html`<form method="post" action="${page.path}/other-account">${token}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const content = html`<p class="lead">${consent.introduction}</p>
${stale && problemNotice(consent.stale, html`<p>${consent.staleAdvice}</p>`, { focus: true })}
${account && personCard(account, consent.signedInAs, otherAccount)}
${
  scopes.length > 0 &&
  html`<div class="scopes">${list(consent.reads, reads, page)}${list(consent.acts, acts, page)}</div>`
}
<form class="decision" method="post" action="${page.path}/consent">${token}
<div class="choices">
<button id="allow" type="submit" name="choice" value="allow">${consent.allow}</button>
<button id="refuse" class="quiet" type="submit" name="choice" value="refuse">${consent.refuse}</button>
</div>
</form>
<p class="fine">${consent.destination(destinationOf(interaction.callback, consent))}</p>`;
  return renderPage({
    ...page,
    title: consent.title(client.name),
    problem: stale,
    emblem: initialEmblem(client.name),
    content,
  });
}

function list(heading: string, scopes: readonly string[], page: ConsentPage): Html | undefined {
  if (scopes.length === 0) return undefined;
  return html`<h2>${heading}</h2><ul>${scopes.map((scope) => html`<li>${scopeLabel(scope, page.language, page.interaction.offlineFor)}</li>`)}</ul>`;
}

/** Host of a web callback. An app's own scheme means nothing to people. */
function destinationOf(callback: string, { application }: Messages['consent']): string {
  const url = URL.parse(callback);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.host : application;
}
