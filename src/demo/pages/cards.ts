// Cards of people and structures, for lists of results and for the page of the signed-in person.

import { type Html, html } from '#demo/html.ts';
import { SEARCH_PATHS } from '#demo/paths.ts';
import { matchedPlaces } from '#demo/search/find.ts';
import type { Person, Structure } from '#demo/search/records.ts';
import { telephone } from '#demo/search/text.ts';
import type { Criterion } from '#demo/search/words.ts';
import type { View } from '#demo/view.ts';
import { linesOf, mailboxList, phoneLine, placeRows, structureLink, town } from './parts.ts';

/** The line below a person's name: profession and specialities. */
export function professionLine({ profession, specialities }: Person): Html | false {
  const texts = [profession, ...specialities].filter(Boolean);
  return texts.length > 0 && html`<p class="subtitle">${texts.join(' · ')}</p>`;
}

/** The card of a person with mailboxes and places of work. Places that match `criteria` come first and are marked. */
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

/** The card of a structure with all that people need to write or call. `parent` is its parent structure, if that was read. */
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
