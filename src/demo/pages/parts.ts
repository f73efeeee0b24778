// Parts that several pages show: numbers with a word, telephone numbers, mailboxes, places of work, the requests of a page, and the cards
// of people and structures.

import type { Request } from '#demo/directory.ts';
import { type Html, html } from '#demo/html.ts';
import type { Counted } from '#demo/messages/directory-en.ts';
import { SEARCH_PATHS } from '#demo/paths.ts';
import { matchedPlaces } from '#demo/search/find.ts';
import type { Address, Mailbox, Person, Place, Structure } from '#demo/search/records.ts';
import { telephone } from '#demo/search/text.ts';
import type { Criterion } from '#demo/search/words.ts';
import type { View } from '#demo/view.ts';

export function number({ language }: View, value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A number followed by a word in the plural form of the language: `0 professionnel`, `1 professionnel`, `36 professionnels`. */
export function counted(view: View, count: number, forms: Counted): string {
  const form = new Intl.PluralRules(view.language).select(count) === 'one' ? forms.one : forms.other;
  return `${number(view, count)}\u00a0${form}`;
}

/**
 * A button that copies a text. It is hidden until the script `copy.js` runs, because it does not work without the script. `what` names the
 * text for screen readers.
 */
export function copyButton({ messages }: View, text: string, what: string): Html {
  const { copy, copied, copyThis } = messages.directory;
  return html`<button type="button" class="copy" data-copy="${text}" data-copied="${copied}" aria-label="${copyThis(what)}" hidden>${copy}</button>`;
}

/** A telephone number as a link that calls it, with a button that copies it for another telephone. */
export function phoneLine(view: View, value: string): Html {
  const { shown, href } = telephone(value);
  return html`<a class="phone" href="${href}">${shown}</a> ${copyButton(view, shown.replaceAll('\u00a0', ' '), shown)}`;
}

/** A list of mailboxes, each with a button that copies it. The mailboxes after the first `most` ones are folded. */
export function mailboxList(view: View, mailboxes: readonly Mailbox[], most = 2): Html {
  const line = ({ address, service }: Mailbox) =>
    html`<li>${service && html`<span class="service">${service}</span> `}<span class="mailbox">${brokenAtSign(address)}</span> ${copyButton(view, address, address)}</li>`;
  return folded(view, mailboxes, most, view.messages.directory.count.mailboxes, (some) => {
    return html`<ul class="mailboxes" aria-label="${view.messages.directory.mailboxes}">${some.map(line)}</ul>`;
  });
}

/** Allows a line break before the @ of a long address. The break adds no character, so that people copy the correct address. */
function brokenAtSign(address: string): Html {
  const [name, ...host] = address.split('@');
  return html`${name}${host.length > 0 && html`<wbr>@${host.join('@')}`}`;
}

/**
 * Shows the first `most` items of a list. The further items are folded, and their number is shown. If there are only `spare` further items
 * or fewer, all items are shown.
 */
function folded<Item>(
  view: View,
  items: readonly Item[],
  most: number,
  forms: Counted,
  show: (some: readonly Item[]) => Html,
  spare = 1,
): Html {
  const first = items.length <= most + spare ? items.length : most;
  const rest = items.slice(first);
  return html`${items.length > 0 && show(items.slice(0, first))}
${rest.length > 0 && html`<details class="others"><summary>${counted(view, rest.length, forms)}</summary>${show(rest)}</details>`}`;
}

/** A link to the page of a structure. */
export function structureLink(view: View, structure: Structure): Html {
  const name = structure.name || structure.kinds[0] || view.messages.directory.nameless;
  return html`<a href="${view.to(`${SEARCH_PATHS.Organization}/${structure.id}`)}">${name}</a>`;
}

export function town({ postalCode, city }: Address): string {
  return [postalCode, city].filter(Boolean).join(' ');
}

/** Address of the search for the people who work at a structure. */
export function peopleOf(view: View, { id }: Structure): string {
  return view.to(SEARCH_PATHS.Practitioner, { organization: `Organization/${id}` });
}

/**
 * Places of work as rows, with structure and town on one side, and telephone and fax on the other. The towns of the first `matched` rows
 * are marked. `others` has the number of other professionals by the id of their structure. If `others` is given, each row also shows the
 * address and the mailboxes.
 */
export function placeRows(
  view: View,
  places: readonly Place[],
  matched: number,
  others?: ReadonlyMap<string, number>,
): Html {
  const { directory } = view.messages;
  const marked = new Set(places.slice(0, matched));
  const row = (place: Place) => {
    const { structure, address, modes } = place;
    const where = address && town(address);
    const count = structure && others?.get(structure.id);
    return html`<li class="place">
<div>${structure && html`<span class="at">${structureLink(view, structure)}</span>`}${modes.map((mode) => html` <span class="mode">${directory.modes[mode] ?? mode}</span>`)}
${others && address && html`<p class="line">${linesOf(address, structure).join(', ')}</p>`}
${where && html` <p class="town">${marked.has(place) ? html`<mark>${where}</mark>` : where}</p>`}
${count !== undefined && count > 0 && html`<p><a href="${peopleOf(view, structure as Structure)}">${counted(view, count, directory.count.others)}</a></p>`}</div>
<div class="calls">${structure?.phones.map((phone) => html`<p>${phoneLine(view, phone)}</p>`)}
${structure?.faxes.map((fax) => html`<p class="fax">${directory.fax} ${telephone(fax).shown}</p>`)}</div>
${others && structure && structure.mailboxes.length > 0 && html`<div class="whole">${mailboxList(view, structure.mailboxes)}</div>`}
</li>`;
  };
  // Without `others`, the rows belong to a card in a list. Then at most three places that match the search are visible, or the first place
  // if none matches.
  const most = others ? 20 : Math.min(3, matched) || 1;
  const list = (some: readonly Place[]) => html`<ul class="places">${some.map(row)}</ul>`;
  return folded(view, places, most, directory.count.places, list, matched > 0 ? 0 : 1);
}

/** The lines of an address without the name of the structure, which the page shows already. */
export function linesOf({ lines }: Address, structure: Structure | undefined): string[] {
  return lines.filter((line) => line !== structure?.name);
}

/**
 * One line with the duration of a page's requests and the address of the first request. Unfolded, it shows each request as a command.
 * `range`, such as `1-10 sur 36`, stands at the beginning of the line.
 */
export function requestFold(view: View, requests: readonly Request[], range?: string): Html {
  const { directory } = view.messages;
  const [first] = requests;
  if (!first) return html``;
  const took = requests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const commands = requests.map(
    ({ url }) => `curl -H "Authorization: Bearer $TOKEN" \\\n  '${url.replaceAll("'", '%27')}'`,
  );
  return html`<details class="request">
<summary><span>${range && `${range} · `}${directory.milliseconds(number(view, Math.ceil(took)))}</span> <code>GET ${plainAddress(first.url)}</code></summary>
<p class="label">${directory.requests}</p>
${commands.map((command) => html`<div class="copyable"><pre tabindex="0">${command}</pre>${copyButton(view, command, directory.requests)}</div>`)}
<p class="hint">${directory.requestHint}</p>
</details>`;
}

/** Formats path and query without percent-encoding, so that people can read them. */
function plainAddress(address: string): string {
  const { pathname, searchParams } = new URL(address);
  return `${pathname}?${[...searchParams].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** The line below a person's name, with profession and specialities. Returns false if the person has neither. */
export function professionLine({ profession, specialities }: Person): Html | false {
  const texts = [profession, ...specialities].filter(Boolean);
  return texts.length > 0 && html`<p class="subtitle">${texts.join(' · ')}</p>`;
}

/** The card of a person, with mailboxes and places of work. The places that match `criteria` come first, and are marked. */
export function personCard(view: View, person: Person, criteria: readonly Criterion[] = []): Html {
  const { places, matched } = matchedPlaces(person, criteria);
  const isBare = places.length === 0 && person.mailboxes.length === 0;
  return html`<article class="card${isBare && ' bare'}">
<div>
<h3><a href="${view.to(`${SEARCH_PATHS.Practitioner}/${person.id}`)}">${person.name || view.messages.directory.nameless}</a></h3>
<div class="about">${professionLine(person)} ${person.rpps && html`<p class="identifier">RPPS\u00a0${person.rpps}</p>`}${isBare && html` <p class="line">${view.messages.directory.noPlace}</p>`}</div>
</div>
${
  !isBare &&
  html`<div>${mailboxList(view, person.mailboxes)}
${places.length > 0 ? placeRows(view, places, matched) : html`<p class="line">${view.messages.directory.noPlaces}</p>`}</div>`
}
</article>`;
}

/**
 * The card of a structure, with the addresses, telephone numbers and mailboxes. `parent` is its parent structure, or undefined if that was
 * not read.
 */
export function structureCard(view: View, structure: Structure, parent?: Structure): Html {
  const { directory } = view.messages;
  const { addresses, phones, faxes, mailboxes, identifiers, kinds, partOf } = structure;
  return html`<article class="card">
<div>
<h3>${structureLink(view, structure)}</h3>
<div class="about">${kinds.length > 0 && html`<p class="subtitle">${kinds.join(' · ')}</p>`} ${identifiers.length > 0 && html`<p class="identifier">${identifiers.join(', ')}</p>`}</div>
</div>
<div>
<ul class="places">${addresses.map(
    (
      address,
      at,
    ) => html`<li class="place"><div><p class="line">${linesOf(address, structure).join(', ')}</p><p class="town">${town(address)}</p></div>
<div class="calls">${at === 0 && html`${phones.map((phone) => html`<p>${phoneLine(view, phone)}</p>`)}${faxes.map((fax) => html`<p class="fax">${directory.fax} ${telephone(fax).shown}</p>`)}`}</div></li>`,
  )}</ul>
${mailboxList(view, mailboxes)}
${partOf && html`<dl><dt>${directory.partOf}</dt><dd>${parent && html`${structureLink(view, parent)} · `}<a href="${view.to(SEARCH_PATHS.Organization, { 'part-of': partOf })}">${directory.siblings}</a></dd></dl>`}
</div>
</article>`;
}
