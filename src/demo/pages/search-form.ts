// The form of the search: two fields, the switch between people and structures, and the criteria that a link brought.

import type { DirectoryType } from '#demo/directory.ts';
import { type Html, html } from '#demo/html.ts';
import { SEARCH_PATHS } from '#demo/paths.ts';
import type { Vocabulary } from '#demo/search/vocabulary.ts';
import { type Criterion, queryOf, type Search } from '#demo/search/words.ts';
import type { View } from '#demo/view.ts';
import { number } from './parts.ts';

interface FormContext {
  vocabulary: Vocabulary;
  towns: readonly string[];
  /** Names of structures that further criteria refer to, by reference. */
  named?: Record<string, string>;
  /** The number of results of the other type. */
  others?: number;
}

export function searchForm(view: View, search: Search, { vocabulary, towns, named = {}, others }: FormContext): Html {
  const { directory } = view.messages;
  const { type, who, where, further } = search;
  const types = Object.keys(SEARCH_PATHS) as DirectoryType[];
  // The further criteria of one type mean nothing in a search for the other.
  const query = queryOf({ who, where, further: [] });
  return html`<form class="search" method="get" action="${view.to(SEARCH_PATHS[type])}" role="search">
<p class="switch" role="group" aria-label="${directory.switch}">${types.map(
    (one) =>
      html`<a href="${view.to(SEARCH_PATHS[one], query)}"${one === type && html` aria-current="true"`}>${directory.kinds[one]}${one !== type && others !== undefined && html` <span class="count">${number(view, others)}</span>`}</a>`,
  )}</p>
<div class="fields">
<p class="field"><label for="name">${directory.who.label}</label><input id="name" name="name" type="search" value="${who}" placeholder="${directory.who.hint[type]}" list="words" autocomplete="off" spellcheck="false"></p>
<p class="field"><label for="address">${directory.where.label}</label><input id="address" name="address" type="search" value="${where}" placeholder="${directory.where.hint}" list="towns" autocomplete="off" spellcheck="false"></p>
<button class="primary">${directory.submit}</button>
</div>
${further.length > 0 && html`<p class="further">${further.map((one) => furtherCriterion(view, search, one, named[one.value]))}</p>`}
<datalist id="words">${vocabulary.options.map(({ value, label }) => html`<option value="${value}">${label}</option>`)}</datalist>
<datalist id="towns" data-more="${view.to('towns')}">${towns.map((town) => html`<option value="${town}"></option>`)}</datalist>
</form>`;
}

/** A criterion of a link, with the way to take it away. */
function furtherCriterion(view: View, search: Search, { key, value }: Criterion, name = value): Html {
  const { read, without } = view.messages.directory;
  const text = `${read[key]} ${name}`;
  const rest = queryOf({ ...search, further: search.further.filter((one) => one.key !== key) });
  return html`<span class="chip">${text}<input type="hidden" id="${key}" name="${key}" value="${value}"> <a href="${view.to(SEARCH_PATHS[search.type], rest)}" aria-label="${without(text)}">✕</a></span>`;
}
