// The page of a professional and the page of a structure.

import type { Request } from '#demo/directory.ts';
import { type Html, html } from '#demo/html.ts';
import { SEARCH_PATHS } from '#demo/paths.ts';
import type { Address, Person, Position, Structure } from '#demo/search/records.ts';
import { mailLink, telephone } from '#demo/search/text.ts';
import type { View } from '#demo/view.ts';
import { page } from './layout.ts';
import { mapAround, mapOfFrance } from './map.ts';
import {
  copyButton,
  linesOf,
  mailboxList,
  number,
  peopleOf,
  phoneLine,
  placeRows,
  professionLine,
  requestFold,
  structureLink,
  town,
} from './parts.ts';

export interface RecordContext {
  /** Address to which people report errors in a record. */
  reportUrl: string | undefined;
  /** Path of the last search of the signed-in person, below `/demo/`. */
  back: string | undefined;
}

interface RecordView extends RecordContext {
  requests: readonly Request[];
  /** Time of the last change of the record, as FHIR writes it. */
  changed: string | undefined;
}

interface PersonView extends RecordView {
  person: Person;
  /** Number of other professionals at each structure, by the id of the structure. */
  others: ReadonlyMap<string, number>;
}

export function personPage(view: View, shown: PersonView): string {
  const { directory } = view.messages;
  const { person, others } = shown;
  const points = person.places.flatMap(({ structure, address }) => pointsOf(structure?.name ?? '', address));
  const map = mapOfFrance(points, directory.map(points.map(({ label }) => label).join(', ')));
  return recordPage(view, shown, 'Practitioner', person.id, person.name || directory.nameless, {
    head: html`${professionLine(person)}
${person.rpps && html`<p class="identifier">RPPS\u00a0<span class="number">${person.rpps}</span> ${copyButton(view, person.rpps, 'RPPS')}</p>`}`,
    content: html`<section aria-labelledby="mail"><h2 id="mail">${directory.mailbox}</h2>
${person.mailboxes.length > 0 ? mailboxList(view, person.mailboxes, 10) : html`<p class="line">${directory.noMailbox}</p>`}</section>
<section aria-labelledby="places"><h2 id="places">${directory.places}</h2>
${person.places.length > 0 ? placeRows(view, person.places, 0, others) : html`<p class="line">${directory.noPlaces}</p>`}</section>
${
  person.diplomas.length > 0 &&
  html`<section aria-labelledby="diplomas"><h2 id="diplomas">${directory.diplomas}</h2>
<ul class="plain">${person.diplomas.map((diploma) => html`<li>${diploma}</li>`)}</ul></section>`
}`,
    aside: map,
  });
}

interface StructureView extends RecordView {
  structure: Structure;
  parent: Structure | undefined;
  parts: { total: number; list: Structure[] };
  colleagues: { total: number; list: Person[] };
  centre: Position | undefined;
  neighbours: { structure: Structure; metres: number }[];
}

export function structurePage(view: View, shown: StructureView): string {
  const { directory } = view.messages;
  const { structure, parts, colleagues } = shown;
  const { mailboxes, kinds, identifiers } = structure;
  const all = view.to(SEARCH_PATHS.Organization, { 'part-of': `Organization/${structure.id}` });
  return recordPage(view, shown, 'Organization', structure.id, structure.name || kinds[0] || directory.nameless, {
    head: html`${kinds.length > 0 && html`<p class="subtitle">${kinds.join(' · ')}</p>`}
${identifiers.length > 0 && html`<p class="identifier">${identifiers.join(' · ')}</p>`}`,
    content: html`${facts(view, shown)}
${mailboxes.length > 0 && html`<section aria-labelledby="mail"><h2 id="mail">${directory.mailboxes}</h2>${mailboxList(view, mailboxes, 20)}</section>`}
${
  parts.total > 0 &&
  html`<section aria-labelledby="parts"><h2 id="parts">${directory.parts} <span class="count">${number(view, parts.total)}</span></h2>
<ul class="plain">${parts.list.map((part) => html`<li>${structureLink(view, part)} <span class="line">${part.addresses[0] && town(part.addresses[0])}</span></li>`)}</ul>
${parts.total > parts.list.length && html`<p><a href="${all}">${directory.siblings}</a></p>`}</section>`
}
${
  colleagues.total > 0 &&
  html`<section aria-labelledby="people"><h2 id="people">${directory.colleagues} <span class="count">${number(view, colleagues.total)}</span></h2>
<ul class="plain">${colleagues.list.map(
    (person) =>
      html`<li><a href="${view.to(`${SEARCH_PATHS.Practitioner}/${person.id}`)}">${person.name}</a> <span class="line">${[person.profession, ...person.specialities].filter(Boolean).join(' · ')}</span></li>`,
  )}</ul>
${colleagues.total > colleagues.list.length && html`<p><a href="${peopleOf(view, structure)}">${directory.allColleagues}</a></p>`}</section>`
}`,
    aside: neighbourhood(view, shown),
  });
}

/** Telephone and fax numbers, mail and postal addresses, and the parent structure. */
function facts(view: View, { structure, parent }: StructureView): Html {
  const { directory } = view.messages;
  const { phones, faxes, emails, addresses, partOf } = structure;
  const address = (one: Address) => {
    const lines = [...linesOf(one, structure), town(one)];
    return html`<dd>${lines.map((line) => html`${line}<br>`)}${copyButton(view, lines.join('\n'), directory.address)}</dd>`;
  };
  return html`<dl class="facts">
${phones.length > 0 && html`<div><dt>${directory.phone}</dt>${phones.map((phone) => html`<dd>${phoneLine(view, phone)}</dd>`)}</div>`}
${faxes.length > 0 && html`<div><dt>${directory.fax}</dt>${faxes.map((fax) => html`<dd>${telephone(fax).shown}</dd>`)}</div>`}
${emails.length > 0 && html`<div><dt>${directory.email}</dt>${emails.map((email) => html`<dd><a href="${mailLink(email)}">${email}</a></dd>`)}</div>`}
${addresses.length > 0 && html`<div><dt>${directory.address}</dt>${addresses.map(address)}</div>`}
${partOf && html`<div><dt>${directory.partOf}</dt><dd>${parent ? structureLink(view, parent) : partOf}</dd><dd><a href="${view.to(SEARCH_PATHS.Organization, { 'part-of': partOf })}">${directory.siblings}</a></dd></div>`}
</dl>`;
}

/**
 * A map of France with the structure, and the nearest structures on a map and in a list with distances. Returns false if the position of
 * the structure is not known.
 */
function neighbourhood(view: View, { structure, centre, neighbours }: StructureView): Html | false {
  const { directory } = view.messages;
  if (!centre) return false;
  const france = mapOfFrance(pointsOf(structure.name, structure.addresses[0]), directory.map(structure.name));
  const points = neighbours.flatMap((one) => {
    const position = one.structure.addresses.find((address) => address.position)?.position;
    return position ? [{ ...one, position, label: one.structure.name }] : [];
  });
  const farthest = Math.max(0.2, ...points.map(({ metres }) => metres / 1000));
  const kilometres = new Intl.NumberFormat(view.language, {
    maximumFractionDigits: 1,
    style: 'unit',
    unit: 'kilometer',
  });
  return html`${france}
${
  points.length > 0 &&
  html`<section aria-labelledby="nearby"><h2 id="nearby">${directory.nearby}</h2>
${mapAround(centre, points, farthest, directory.map(points.map(({ label }) => label).join(', ')))}
<ol class="nearby">${points.map((one) => html`<li>${structureLink(view, one.structure)} <span class="line">${kilometres.format(one.metres / 1000)}</span></li>`)}</ol></section>`
}`;
}

function pointsOf(name: string, address: Address | undefined) {
  if (!address?.position) return [];
  return [{ label: [name, address.city].filter(Boolean).join(', '), position: address.position }];
}

interface RecordParts {
  head: Html;
  content: Html;
  aside: Html | false;
}

/** The frame of the pages of professionals and structures: the record and, below it, the source of its data. */
function recordPage(
  view: View,
  { requests, changed, reportUrl, back }: RecordView,
  type: keyof typeof SEARCH_PATHS,
  id: string,
  title: string,
  { head, content, aside }: RecordParts,
): string {
  const { directory } = view.messages;
  const record = `${type}/${id}`;
  return page(view, {
    title: `${title} – ${directory.title}`,
    scripts: ['copy'],
    content: html`<p class="back">${back && html`<a href="${view.to(back)}">${directory.back}</a> · `}<a href="${view.to(SEARCH_PATHS[type])}">${directory.newSearch}</a></p>
<article class="record">
<header><h1>${title}</h1>
${head}</header>
<div class="record-body"><div>${content}</div>${aside && html`<div class="aside">${aside}</div>`}</div>
<footer>${reportUrl && html`<p><a href="${reportLink(reportUrl, directory.reportSubject(record))}">${directory.report}</a></p>`}
<p>${changed && directory.updated(view.moment(Date.parse(changed)))} <code>${record}</code></p>
${requestFold(view, requests)}</footer>
</article>`,
  });
}

/**
 * The link with which people report errors in a record. For a mail address, the record becomes the subject of the mail. For a web page of
 * the operator, the address is not changed.
 */
function reportLink(address: string, subject: string): string {
  if (!address.startsWith('mailto:')) return address;
  return `${mailLink(address.slice('mailto:'.length))}?subject=${encodeURIComponent(subject)}`;
}
