// The search page: the form of one resource type, and the results as cards or the directory's refusal.

import { type ResourceCard, resourceCard } from '#demo/browser/resource-cards.js';
import type { DirectoryRefusal, DirectoryType, SearchPage } from '#demo/directory.ts';
import { type Html, html } from '#demo/html.ts';
import { EXAMPLES, SEARCH_KEYS, SEARCH_PATHS, type SearchKey } from '#demo/search-keys.ts';
import type { View } from '#demo/view.ts';
import { cardArticle } from './card.ts';
import { page, signInForm } from './layout.ts';

export interface SearchView {
  type: DirectoryType;
  criteria: Partial<Record<SearchKey, string>>;
  /** True if the form was sent empty. */
  empty: boolean;
  found?: SearchPage & {
    /** Parents of the structures found, by reference. */
    parents: Record<string, ResourceCard | undefined>;
  };
  refusal?: DirectoryRefusal;
  /** This search, for after a new sign-in. */
  returnTo: string;
}

export function searchPage(view: View, search: SearchView): string {
  const messages = view.messages.search;
  return page(view, {
    title: messages[search.type].title,
    current: SEARCH_PATHS[search.type],
    content: html`<h1>${messages[search.type].title}</h1>
${searchForm(view, search)}
${search.empty && html`<p class="notice" role="status">${messages.nothingEntered}</p>`}
${search.refusal && refusalPanel(view, search.refusal, search.returnTo)}
${search.found && results(view, search, search.found)}`,
  });
}

function searchForm(view: View, { type, criteria }: SearchView): Html {
  const { search } = view.messages;
  const path = view.to(SEARCH_PATHS[type]);
  const keys: readonly SearchKey[] = SEARCH_KEYS[type];
  const [first, more] = [keys.slice(0, 2), keys.slice(2)];
  return html`<form class="search" method="get" action="${path}" role="search">
<div class="fields">
${first.map((key) => field(view, key, criteria[key]))}
</div>
<details class="more-fields"${more.some((key) => criteria[key]) && html` open`}>
<summary>${search.more}</summary>
<div class="fields">
${more.map((key) => field(view, key, criteria[key]))}
</div>
</details>
<p class="actions"><button class="primary">${search.submit}</button> <a href="${path}">${search.clear}</a></p>
<p class="examples">${search.examples}
${EXAMPLES[type].map((example) => html`<a href="${view.to(SEARCH_PATHS[type], example)}">${exampleText(view, example)}</a>`)}</p>
</form>`;
}

function field({ messages }: View, key: SearchKey, value = ''): Html {
  const { label, hint } = messages.search.keys[key];
  return html`<div class="field">
<label for="${key}">${label}</label>
<input id="${key}" name="${key}" value="${value}" aria-describedby="${key}-hint" autocomplete="off" spellcheck="false">
<p class="hint" id="${key}-hint">${hint}</p>
</div>`;
}

function exampleText({ messages }: View, example: Partial<Record<SearchKey, string>>): string {
  return (Object.entries(example) as [SearchKey, string][])
    .map(([key, value]) => messages.search.example(messages.search.keys[key].label, value))
    .join(', ');
}

function results(view: View, { type }: SearchView, found: NonNullable<SearchView['found']>): Html {
  const { search } = view.messages;
  const number = new Intl.NumberFormat(view.language);
  const total = found.total === 1 ? search[type].one : search[type].count(number.format(found.total ?? 0));
  return html`<section aria-labelledby="results">
<h2 id="results">${search.results}</h2>
<p class="summary" role="status">${found.total !== undefined && html`<strong>${total}</strong> · `}${search.took(number.format(Math.round(found.milliseconds)))}</p>
${requestBox(view, found.request)}
${found.resources.length === 0 && html`<p class="notice">${search.nothingFound}</p>`}
<div class="cards">
${found.resources.map((resource) => {
  const card = resourceCard(resource);
  return cardArticle(view, card, found.parents[card.partOf ?? '']);
})}
</div>
${found.next && html`<p><a class="button" rel="next" href="${view.to(SEARCH_PATHS[type], { next: found.next })}">${search.next}</a></p>`}
</section>`;
}

function requestBox({ messages }: View, request: string): Html {
  return html`<details class="request">
<summary>${messages.search.request} <code>GET ${readable(request)}</code></summary>
<pre tabindex="0">curl -H "Authorization: Bearer $TOKEN" \\
  '${request}'</pre>
<p class="hint">${messages.search.requestHint}</p>
</details>`;
}

/** Path and query with their escapes undone, for eyes. */
function readable(address: string): string {
  const { pathname, searchParams } = new URL(address);
  return `${pathname}?${[...searchParams].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** A refusal: its remedy, and the issues of the directory's OperationOutcome. */
function refusalPanel(view: View, { status, issues }: DirectoryRefusal, returnTo: string): Html {
  const { refusal, signInAgain } = view.messages;
  const advice = status === 0 || status === 401 || status === 403 ? refusal[status] : refusal.other;
  return html`<section class="refusal" role="alert">
<h2>${refusal.title}${status > 0 && html` <small>${refusal.status(status)}</small>`}</h2>
<p>${advice}</p>
<ul>
${issues.map(({ severity, code, text }) => html`<li><small>${refusal.severity[severity] ?? severity} · ${code}</small> ${text}</li>`)}
</ul>
${(status === 401 || status === 403) && signInForm(view, signInAgain, returnTo)}
</section>`;
}
