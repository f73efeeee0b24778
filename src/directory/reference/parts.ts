// The parts of which chapters consist: headings with links, tables that become lists on small screens, and blocks of code.

import { type Html, type HtmlValue, html } from '#web/html.ts';
import { snippetsOf } from './browser/snippets.js';
import type { ReferenceDirectory } from './descriptions.ts';
import type { ReferenceMessages } from './messages/fr.ts';

/** Renders a text of the messages. A part between two backticks is shown as code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Renders a chapter with its heading. The table of contents links to `id`. */
export function chapter(id: string, title: string, content: HtmlValue): Html {
  return html`<section class="chapter" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`;
}

interface Column {
  title: string;
  /** CSS class of the column's cells. */
  kind?: string;
  /** The label that small screens show before each cell, because they lay out the rows as lists without a header. */
  lead?: string;
}

/**
 * Renders a table. Its elements have explicit roles: when the style sheet lays rows out as lists on small screens, browsers would no longer
 * treat the elements as a table.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
  kind?: string,
): Html {
  return html`<table role="table"${kind !== undefined && html` class="${kind}"`}><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    ({ title }) => html`<th role="columnheader" scope="col">${title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) => html`<tr role="row">${cells.map((cell, at) => tableCell(cell, at, columns))}</tr>
`,
  )}</tbody></table>`;
}

function tableCell(cell: HtmlValue, at: number, columns: readonly Column[]): Html {
  const { kind = '', lead = '' } = columns[at] ?? {};
  if (at === 0) return html`<th role="rowheader" scope="row" class="${kind}">${cell}</th>`;
  return html`<td role="cell" data-title="${lead}" class="${kind}">${cell}</td>`;
}

/** Renders the name of a parameter as a link target: `#Practitioner.telecom`. */
export function named(chapterId: string, name: string): Html {
  const id = `${chapterId}.${name}`;
  return html`<a class="anchor" id="${id}" href="#${id}"><code>${name}</code></a>`;
}

/**
 * Renders a block of code for copying: one click selects all of it. The block can have the focus, so that the keyboard can scroll it.
 * @param name read by screen readers, and also visible above the block if `about` is given
 * @param about distinguishes blocks of the same name for screen readers
 */
export function codeBlock(name: string, code: string, about?: string): Html {
  const label = about === undefined ? name : `${name} (${about})`;
  const block = html`<pre tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre>`;
  return about === undefined ? block : html`<p class="caption">${name}</p>${block}`;
}

/**
 * Renders a request as code in each language, with a link to try it. The style sheet shows only the chosen language.
 * @param about distinguishes blocks of the same name for screen readers
 */
export function codeIn(
  { base, tryPage }: Pick<ReferenceDirectory, 'base' | 'tryPage'>,
  name: string,
  request: string,
  { tryIt }: ReferenceMessages,
  { about = '', token = true } = {},
): Html {
  const label = about === '' ? name : `${name} (${about})`;
  return html`<p class="caption">${name} <a href="${tryPage}#${request}" aria-label="${tryIt.link}, ${label}">${tryIt.link}</a></p>
${Object.entries(snippetsOf(base, request, { token })).map(
  ([language, code]) =>
    html`<pre tabindex="0" role="region" data-language="${language}" aria-label="${label}, ${language}"><code>${code}</code></pre>`,
)}`;
}

/** Renders the switch with which the reader chooses the language of all code on the page (`data-language`). It works without a script. */
export function codeLanguages(legend: string): Html {
  const names = Object.entries({ curl: 'curl', javascript: 'JavaScript', python: 'Python', java: 'Java' });
  return html`<fieldset class="switch code-languages"><legend>${legend}</legend>${names.map(
    ([id, name], at) =>
      html`<label><input type="radio" name="code-language" id="in-${id}"${at === 0 && html` checked`}><span>${name}</span></label>`,
  )}</fieldset>`;
}

/** Renders a list of short facts, each with a name. */
export function facts(entries: readonly (readonly [name: string, about: HtmlValue])[]): Html {
  return html`<dl class="facts">${entries.map(
    ([name, about]) => html`<div><dt>${name}</dt><dd>${about}</dd></div>
`,
  )}</dl>`;
}
