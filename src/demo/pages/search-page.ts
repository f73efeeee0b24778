// The search page, with the form and the result. The form has two fields, a switch between people and structures, and the further criteria
// of a link. The result is a list of cards, suggestions if nothing was found, or the refusal of the directory.

import type { DirectoryRefusal, DirectoryType } from '#demo/directory.ts';
import { type Html, html } from '#demo/html.ts';
import { SEARCH_PATHS } from '#demo/paths.ts';
import type { Found, Group } from '#demo/search/find.ts';
import type { Repair } from '#demo/search/repairs.ts';
import type { Vocabulary } from '#demo/search/vocabulary.ts';
import { type Criterion, queryOf, type Search } from '#demo/search/words.ts';
import type { View } from '#demo/view.ts';
import { page, signInForm } from './layout.ts';
import { counted, number, personCard, requestFold, structureCard } from './parts.ts';

export interface SearchView {
  search: Search;
  vocabulary: Vocabulary;
  /** Large towns, which the second field suggests. */
  towns: readonly string[];
  /** True if the form has too little text, so that no search was sent. */
  tooShort: boolean;
  found?: Found;
  /** Names of the structures that the further criteria refer to, by reference. */
  named?: Record<string, string>;
  /** The number of results if the same words are searched for the other type (people or structures). */
  others?: number;
  /**
   * A search for the same words with another meaning. If `search` takes a word for the kind of a structure, this search takes it for a part
   * of the name. If `search` takes it for a part of the name, this search takes it for the kind.
   */
  also?: Repair;
  repairs?: readonly Repair[];
  refusal?: DirectoryRefusal;
  /** Address of this search, which opens again after a new sign-in. */
  returnTo: string;
}

export function searchPage(view: View, shown: SearchView): string {
  const { directory } = view.messages;
  const { search, found, tooShort, refusal, named = {} } = shown;
  const asked = [search.who, search.where, ...search.further.map(({ value }) => named[value] ?? value)]
    .filter(Boolean)
    .join(', ');
  return page(view, {
    title: asked ? `${asked} – ${directory.title}` : directory.title,
    current: SEARCH_PATHS.Practitioner,
    scripts: ['copy', 'towns'],
    content: html`${!found && !refusal && html`<h1>${directory.title}</h1>\n<p class="lead">${directory.lead}</p>`}
${searchForm(view, search, shown)}
${tooShort && html`<p class="notice" role="status">${directory.tooShort}</p>`}
${!found && !refusal && examples(view, search.type)}
${refusal && refusalPanel(view, refusal, shown.returnTo)}
${found && results(view, shown, found, asked)}`,
  });
}

function examples(view: View, type: DirectoryType): Html {
  return html`<p class="examples">${view.messages.directory.examples} ${view.messages.directory.toTry[type].map(
    ([who = '', where = '']) =>
      html`<a href="${view.to(SEARCH_PATHS[type], { name: who, address: where })}">${[who, where].filter(Boolean).join(', ')}</a> `,
  )}</p>`;
}

function results(view: View, shown: SearchView, found: Found, what: string): Html {
  const { directory } = view.messages;
  const { search } = shown;
  const { type, criteria } = search;
  const cards = [
    ...found.groups.flatMap((group) => groupOf(view, group, found, criteria)),
    found.structures.length > 0 &&
      html`<h2 class="unseen">${directory.results}</h2>\n<div class="cards">${found.structures.map((one) => structureCard(view, one, found.parents[one.partOf ?? '']))}</div>`,
  ];
  const total = found.total;
  const range = rangeOf(view, found);
  return html`<div class="results-head">
<h1>${total === undefined ? directory.results : counted(view, total, directory.count[type])} <span class="asked">${directory.found(what)}</span></h1>
${requestFold(view, found.requests, range)}
</div>
${shown.also && alsoLink(view, shown.also)}
${found.professions.length > 0 && narrowing(view, search, found.professions)}
${cards}
${total === 0 && emptyResult(view, shown)}
${pagesOf(view, search, found, range)}`;
}

/** Links that restrict a search by name to one profession. Beside each link stands the number of people in the profession. */
function narrowing(view: View, search: Search, professions: Found['professions']): Html {
  const { directory } = view.messages;
  const link = (label: string) =>
    view.to(SEARCH_PATHS.Practitioner, { ...queryOf(search), name: `${search.who} ${label}` });
  return html`<p class="also narrow">${directory.narrow} ${professions.map(
    ({ label, count }) =>
      html`<span><a href="${link(label)}">${label}</a>\u00a0<span class="count">${number(view, count)}</span></span> `,
  )}</p>`;
}

/** Renders the people of one group. Its heading is visible only if the result has several groups. */
function groupOf(view: View, { family, total, people }: Group, found: Found, criteria: readonly Criterion[]): Html {
  const { directory } = view.messages;
  const { beyond } = found;
  const name = criteria.find(({ key }) => key === 'name')?.value ?? '';
  const isOther = family === undefined && total !== found.total;
  const heading = family ? directory.exactly : directory.otherNames;
  const title = family || isOther ? heading(family ?? name, number(view, total)) : directory.results;
  const more = beyond?.all ? directory.allNames : directory.otherNames;
  return html`<h2${!family && !isOther && html` class="unseen"`}>${title}</h2>
${beyond && html`<p class="also"><a href="${view.to(SEARCH_PATHS.Practitioner, beyond.query)}">${more(name, number(view, beyond.total))}</a></p>`}
<div class="cards">${people.map((person) => personCard(view, person, criteria))}</div>`;
}

/** Says which results the page shows, such as `1-10 sur 36`. Returns undefined if it shows all results. */
function rangeOf(view: View, { total, from, next, previous, groups, structures, beyond }: Found): string | undefined {
  if (!next && !previous) return undefined;
  const count = structures.length + groups.reduce((sum, { people }) => sum + people.length, 0);
  const listed = beyond?.all ? groups[0]?.total : total;
  const [first = '', last = '', all = ''] = [from, from + count - 1, listed ?? from + count - 1].map((one) =>
    number(view, one),
  );
  return view.messages.directory.range(first, last, all);
}

function pagesOf(view: View, { type }: Search, { next, previous }: Found, range: string | undefined): Html | false {
  const { directory } = view.messages;
  if (range === undefined) return false;
  return html`<nav class="pages" aria-label="${directory.pages}">
${previous && html`<a class="button" rel="prev" href="${view.to(SEARCH_PATHS[type], previous)}">${directory.previous}</a>`}
<span>${range}</span>
${next && html`<a class="button" rel="next" href="${view.to(SEARCH_PATHS[type], next)}">${directory.next}</a>`}
</nav>`;
}

function alsoLink(view: View, { type, query, search, total }: Repair): Html {
  const { directory } = view.messages;
  const [criterion] = search.criteria;
  const say = criterion?.key === 'name' ? directory.alsoNamed : directory.also;
  return html`<p class="also"><a href="${view.to(SEARCH_PATHS[type], query)}">${say(counted(view, total, directory.count[type]), criterion?.value ?? '')}</a></p>`;
}

function emptyResult(view: View, { search, repairs = [] }: SearchView): Html {
  const { directory } = view.messages;
  const understood = search.criteria.map(({ key, value }) => `${directory.read[key]} ${directory.quote(value)}`);
  return html`<section class="notice" aria-labelledby="empty">
<h2 id="empty">${directory.nothing}</h2>
<p>${understood.join(' · ')}</p>
<p>${repairs.length > 0 ? directory.repairs : directory.noRepairs}</p>
${repairs.length > 0 && html`<ul class="repairs">${repairs.map((repair) => repairLink(view, repair))}</ul>`}
</section>`;
}

function repairLink(view: View, { type, query, search, total }: Repair): Html {
  const { directory } = view.messages;
  const { who, further, criteria } = search;
  const inAddress = criteria.find(({ key }) => key === 'address')?.value;
  const where = inAddress === undefined ? search.where : directory.inAddress(inAddress);
  const texts = [who, where, ...further.map(({ value }) => value)].filter(Boolean);
  return html`<li><a href="${view.to(SEARCH_PATHS[type], query)}">${texts.join(', ')}</a> <span class="count">${counted(view, total, directory.count[type])}</span></li>`;
}

/** A page that only says that the directory has refused a request. `returnTo` is the page of the demo that was requested. */
export function refusalPage(view: View, refusal: DirectoryRefusal, returnTo: string): string {
  return page(view, { title: view.messages.directory.refusal.title, content: refusalPanel(view, refusal, returnTo) });
}

/** Says that the directory has refused a request, in a sentence for people and, folded, in the directory's own text for developers. */
function refusalPanel(view: View, { status, issues }: DirectoryRefusal, returnTo: string): Html {
  const { directory, signInAgain } = view.messages;
  const { title, said, other, again } = directory.refusal;
  const isAccess = status === 401 || status === 403;
  return html`<section class="refusal" role="alert">
<h1>${title}</h1>
<p>${directory.refusal[status] ?? other}</p>
${isAccess && signInForm(view, signInAgain, returnTo)}
${!isAccess && status !== 400 && html`<p><a href="${view.to(returnTo.replace(/[?&]next=[^&]*/, ''))}">${again}</a></p>`}
${issues.length > 0 && html`<details><summary>${said} (HTTP ${status})</summary><ul lang="en">${issues.map(({ severity, code, text }) => html`<li><small>${severity} · ${code}</small> ${text}</li>`)}</ul></details>`}
</section>`;
}

type FormContext = Pick<SearchView, 'vocabulary' | 'towns' | 'named' | 'others'>;

function searchForm(view: View, search: Search, { vocabulary, towns, named = {}, others }: FormContext): Html {
  const { directory } = view.messages;
  const { type, who, where, further } = search;
  const types = Object.keys(SEARCH_PATHS) as DirectoryType[];
  // The link to the other type leaves out the further criteria, because criteria of one type mean nothing in a search for the other type.
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

/** Shows a further criterion, with a link that removes it from the search. */
function furtherCriterion(view: View, search: Search, { key, value }: Criterion, name = value): Html {
  const { read, without } = view.messages.directory;
  const text = `${read[key]} ${name}`;
  const rest = queryOf({ ...search, further: search.further.filter((one) => one.key !== key) });
  return html`<span class="chip">${text}<input type="hidden" id="${key}" name="${key}" value="${value}"> <a href="${view.to(SEARCH_PATHS[search.type], rest)}" aria-label="${without(text)}">✕</a></span>`;
}
