// Asks whether a client may use the account, with each scope in plain language, and handles the person's answer (SEC-36).
// `sign-in/interactions.ts` stores the answer and records it in the audit trail (`resumeWithConsent`, `abort`).
// `provider/prompts/remembered-consent.ts` decides whether the person is asked at all (`consent`, `lifetimes.grant`).

import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { initialEmblem, personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { readForm, UnusableForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';
import { scopeLabel } from '#web/messages.ts';

/** Scopes that show data about the person to the client. Other scopes let the client act. */
const READS = ['openid', 'profile', 'fhirUser', 'email'];

/** Answers the posted consent form. */
export async function answerConsent(context: SignInContext): Promise<void> {
  const { req, res, interaction, interactions, path } = context;
  if (interaction.prompt !== 'consent') return res.redirect(303, path);
  const { fields, stale } = readForm(context, ['choice']);
  if (stale) return sendConsentPage(context, 403);
  if (fields.choice === 'allow') return interactions.resumeWithConsent(req, res);
  if (fields.choice === 'refuse') return interactions.abort(req, res);
  throw new UnusableForm(400, 'the field choice must be allow or refuse');
}

/**
 * Sends the consent page. The status is 403 if an answer did not come from this page. The ids `allow` and `refuse` of the buttons must not
 * change, because programs of others rely on them.
 */
export function sendConsentPage(context: SignInContext, status: 200 | 403): void {
  const { interaction, messages, path, tokens } = context;
  const { account, client, scopes } = interaction;
  const { consent } = messages;
  const reads = READS.filter((scope) => scopes.includes(scope));
  const acts = scopes.filter((scope) => !READS.includes(scope));
  const token = csrfField(tokens[0]);
  const otherAccount = html`<form method="post" action="${path}/other-account">${token}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const content = html`<p class="lead">${consent.introduction}</p>
${status === 403 && problemNotice(consent.stale, consent.staleAdvice)}
${account && personCard(account, consent.signedInAs, otherAccount)}
${
  scopes.length > 0 &&
  html`<div class="scopes">${list(context, consent.reads, reads)}${list(context, consent.acts, acts)}</div>`
}
<form class="decision" method="post" action="${path}/consent">${token}
<div class="choices">
<button id="allow" type="submit" name="choice" value="allow">${consent.allow}</button>
<button id="refuse" class="quiet" type="submit" name="choice" value="refuse">${consent.refuse}</button>
</div>
</form>
<p class="fine">${consent.destination(destinationOf(context))}</p>`;
  sendPage(context, { status, title: consent.title(client.name), emblem: initialEmblem(client.name), content });
}

function list({ language, interaction }: SignInContext, heading: string, scopes: readonly string[]): Html | undefined {
  if (scopes.length === 0) return undefined;
  return html`<h2>${heading}</h2><ul>${scopes.map((scope) => html`<li>${scopeLabel(scope, language, interaction.offlineFor)}</li>`)}</ul>`;
}

/**
 * Returns the host of a web callback. If the callback has a scheme of the application's own, which means nothing to people, returns the
 * text "application".
 */
function destinationOf({ interaction, messages }: SignInContext): string {
  const url = URL.parse(interaction.callback);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.host : messages.consent.application;
}
