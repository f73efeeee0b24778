// Owns the page after a sign-in: who it was, what the two sources said, and the six steps with their messages.

import type { ResourceCard } from '../browser/resource-cards.js';
import { type Html, html } from '../html.ts';
import { jsonText, shown } from '../messages.ts';
import { type UserInfoClaim, userInfoClaim } from '../relying-party.ts';
import type { DemoPerson } from '../session.ts';
import type { View } from '../view.ts';
import { cardArticle } from './card.ts';
import { page } from './layout.ts';

/** What the directory knows of the person: a card by reference, undefined where it shows none. */
export type ResolvedReferences = Record<string, ResourceCard | undefined>;

export function stepsPage(view: View, person: DemoPerson, resolved: ResolvedReferences): string {
  const { steps } = view.words;
  const minutes = Math.max(0, Math.floor((person.accessEndsAt - Date.now()) / 60_000));
  return page(view, {
    title: view.words.nav.steps,
    current: 'steps',
    content: html`<section class="hero">
<h1>${steps.title(String(person.claims['name'] ?? person.claims.sub))}</h1>
<p class="lead">${person.returning ? steps.returning : steps.newcomer} ${steps.remaining(minutes)}</p>
<a class="button" href="${view.to('practitioners')}">${view.words.start.toSearch}</a>
</section>
${whoSection(view, person, resolved)}
<section aria-labelledby="happened">
<h2 id="happened">${steps.happened}</h2>
<p>${steps.happenedLead}</p>
<ol class="steps">
${steps.list.map(
  ({ title, text }, index) => html`<li>
<h3>${title}</h3>
<p>${text}</p>
${(person.steps[index] ?? []).map((message) => html`<pre tabindex="0">${message}</pre>`)}
${index === 4 && claimsTable(view, person)}
</li>`,
)}
</ol>
</section>`,
  });
}

function whoSection(view: View, person: DemoPerson, resolved: ResolvedReferences): Html {
  const { who } = view.words.steps;
  const { email, email_verified: verified } = person.claims;
  const claim = userInfoClaim(person.claims);
  return html`<section aria-labelledby="who">
<h2 id="who">${who.title}</h2>
<dl class="facts">
<div><dt>${who.uuid}</dt><dd><code>${claim.uuid}</code></dd></div>
<div><dt>${who.email}</dt><dd>${String(email ?? '')} (${verified ? who.verified : who.unverified})</dd></div>
<div><dt>${who.api}</dt><dd><code>${claim.apiUrl}</code></dd></div>
</dl>
<div class="columns">
${referenceList(view, who.identities, claim.identities ?? [], resolved)}
${referenceList(view, who.workspace, workspaceOf(claim), resolved)}
</div>
</section>`;
}

function workspaceOf({ currentWorkspaceId }: UserInfoClaim): string[] {
  return currentWorkspaceId ? [currentWorkspaceId] : [];
}

function referenceList(view: View, title: string, references: string[], resolved: ResolvedReferences): Html {
  const { who } = view.words.steps;
  return html`<div>
<p class="label">${title}</p>
${references.length === 0 && html`<p>${who.none}</p>`}
${references.map((reference) => {
  const card = resolved[reference];
  return html`<p><code>${reference}</code>${!card && html` (${who.missing})`}</p>${card && cardArticle(view, card)}`;
})}
</div>`;
}

function claimsTable(view: View, { claims, userinfo }: DemoPerson): Html {
  const { claims: words } = view.words.steps;
  const names = [...new Set([...Object.keys(claims), ...Object.keys(userinfo)])];
  const cell = (source: Record<string, unknown>, name: string, label: string) =>
    html`<td data-label="${label}"><code>${name in source ? valueText(name, source[name]) : words.absent}</code></td>`;
  return html`<table class="stacked claims">
<caption>${words.title}</caption>
<thead><tr><th scope="col">${words.claim}</th><th scope="col">${words.idToken}</th><th scope="col">${words.userinfo}</th></tr></thead>
<tbody>
${names.map(
  (name) => html`<tr><th scope="row"><code>${name}</code></th>
${cell(claims, name, words.idToken)}${cell(userinfo, name, words.userinfo)}</tr>`,
)}
</tbody>
</table>`;
}

function valueText(name: string, value: unknown): string {
  return typeof value === 'object' ? jsonText(value) : shown(name, String(value));
}
