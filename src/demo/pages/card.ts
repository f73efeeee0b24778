// Renders a directory resource as a card, for the search page and for the signed-in person's page.

import { inShort, type ResourceCard } from '#demo/browser/resource-cards.js';
import { type Html, html } from '#demo/html.ts';
import { SEARCH_PATHS } from '#demo/search-keys.ts';
import type { View } from '#demo/view.ts';

/** `parent` is the card of the structure that this one is a part of, when it was read. */
export function cardArticle(view: View, card: ResourceCard, parent?: ResourceCard): Html {
  const { search } = view.messages;
  return html`<article class="card">
<div>
<h3>${card.title || search.nameless}</h3>
${card.subtitle && html`<p class="subtitle">${card.subtitle}</p>`}
${card.identifiers.length > 0 && html`<p class="identifier">${card.identifiers.join(', ')}</p>`}
</div>
<dl>
${fact(card.addresses.length > 1 ? search.addresses : search.address, card.addresses)}
${fact(search.secureMail, card.secureMail, 'mail')}
${fact(search.phones, card.phones)}
${fact(search.qualifications, card.qualifications)}
${card.partOf && parentFact(view, card.partOf, parent?.title)}
</dl>
</article>`;
}

/** The parent, and the search for everything that is a part of it. */
function parentFact({ messages, to }: View, reference: string, title?: string): Html {
  const name = title || reference;
  const siblings = to(SEARCH_PATHS.Organization, { 'part-of': reference });
  return html`<div><dt>${messages.search.partOf}</dt>
<dd>${name}</dd>
<dd><a href="${siblings}" aria-label="${messages.search.childrenOf(name)}">${messages.search.children}</a></dd></div>`;
}

function fact(label: string, values: readonly string[], kind?: string): Html | undefined {
  if (values.length === 0) return undefined;
  const { first, more } = inShort(values);
  return html`<div${kind && html` class="${kind}"`}><dt>${label}</dt>
${first.map((value) => html`<dd>${value}</dd>`)}
${more && html`<dd class="more">${more}</dd>`}
</div>`;
}
