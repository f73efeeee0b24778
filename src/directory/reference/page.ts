// Owns the reference page of the directory as a whole: its head, its contents, the order of its chapters.
// Does not own the chapters, nor the frame around every page (`src/web/layout.ts`).

import { type Html, html } from '../../web/html.ts';
import type { Language } from '../../web/language.ts';
import { renderPage } from '../../web/layout.ts';
import type { Site } from '../../web/site.ts';
import type { Freshness, ReferenceDirectory } from './directory.ts';
import { facts } from './parts.ts';
import {
  bulkChapter,
  controlsChapter,
  errorsChapter,
  formatsChapter,
  limitsChapter,
  modifiersChapter,
  rulesChapter,
} from './rules.ts';
import { sampleChapter } from './sample.ts';
import { typeChapter } from './searches.ts';
import { startChapter } from './start.ts';
import { type ReferenceMessages, referenceMessages } from './messages.ts';

export interface ReferencePage {
  site: Site;
  language: Language;
  languageLink: (language: Language) => string;
  directory: ReferenceDirectory;
  /** Nothing when no edition is loaded. */
  freshness: Freshness | undefined;
  /** Address of the OpenAPI description. */
  openapi: string;
  /** Address of the demo application, where it runs. */
  demo?: string;
}

/** The whole page. */
export function renderReferencePage(page: ReferencePage): string {
  const { site, language, languageLink, directory } = page;
  const words = referenceMessages(language);
  const content = html`<p class="lead">${words.lead}</p>
${head(page, words)}
<div class="columns">
${contents(page, words)}
<div class="chapters">
${startChapter(directory, words, page.demo)}
${sampleChapter(directory, words)}
${directory.types.map((type) => typeChapter(directory, type, words))}
${rulesChapter(directory, words)}
${modifiersChapter(directory, words)}
${controlsChapter(directory, words)}
${formatsChapter(directory, words)}
${bulkChapter(directory, words)}
${errorsChapter(directory, words)}
${limitsChapter(directory, words, language)}
</div>
</div>`;
  return renderPage({ site, language, languageLink, title: words.title, content, reading: true });
}

function head({ directory, freshness, openapi, language }: ReferencePage, { facts: words }: ReferenceMessages): Html {
  const { base } = directory;
  return facts([
    [words.base, html`<code>${base}</code>`],
    [words.edition, freshness ? editionOf(freshness, words, language) : words.none],
    [
      words.machine,
      html`<a href="${openapi}">${words.openapi}</a> <a href="${`${base}/metadata`}">${words.metadata}</a> <a href="${`${base}/.well-known/smart-configuration`}">${words.smart}</a>`,
    ],
  ]);
}

function editionOf({ created, counts }: Freshness, words: ReferenceMessages['facts'], language: Language): Html {
  const number = new Intl.NumberFormat(language);
  const [people = '', structures = '', roles = ''] = ['Practitioner', 'Organization', 'PractitionerRole'].map((type) =>
    number.format(counts[type] ?? 0),
  );
  const form = new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  });
  return html`${words.counts(people, structures, roles)}${
    created !== undefined &&
    html`<br><time datetime="${created}">${words.loaded(form.format(new Date(created)))}</time>`
  }`;
}

function contents({ directory }: ReferencePage, words: ReferenceMessages): Html {
  const entries: (readonly [id: string, title: string])[] = [
    ['start', words.start.title],
    ['sample', words.sample.title],
    ...directory.types.map(({ type }) => [type, words.type[type]?.title ?? type] as const),
    ['rules', words.rules.title],
    ['modifiers', words.modifiers.title],
    ['controls', words.controls.title],
    ['formats', words.formats.title],
    ['export', words.bulk.title],
    ['errors', words.errors.title],
    ['limits', words.limits.title],
  ];
  return html`<nav class="contents" aria-label="${words.contents}"><ul>${entries.map(
    ([id, title]) => html`<li><a href="#${id}">${title}</a></li>`,
  )}</ul></nav>`;
}
