// Writes the reference page of the directory: its head, table of contents and chapters.

import { formatDateTime } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import {
  batchChapter,
  changesChapter,
  errorsChapter,
  formatsChapter,
  limitsChapter,
  modifiersChapter,
  operationsChapter,
  resultParametersChapter,
  rulesChapter,
} from './chapters.ts';
import type { Freshness, ReferenceDirectory } from './descriptions.ts';
import { en } from './messages/en.ts';
import { fr, type ReferenceMessages } from './messages/fr.ts';
import { codeLanguages, facts } from './parts.ts';
import { type StartPlace, startChapter } from './start.ts';
import { typeChapter } from './type-chapter.ts';

const CATALOGUES: Record<Language, ReferenceMessages> = { fr, en };

/** The messages of the reference page in a language. */
export function referenceMessages(language: Language): ReferenceMessages {
  return CATALOGUES[language];
}

interface ReferencePage extends PageFrame {
  directory: ReferenceDirectory;
  /** The chapters, made for this directory and language by `referenceChapters`. */
  chapters: Html;
  /** The current edition; undefined if none is served. */
  freshness: Freshness | undefined;
  /** Address of the OpenAPI description. */
  openapi: string;
}

/** The scripts that the headers of the page must allow. The page also works without them. */
export const REFERENCE_SCRIPTS = ['reference'] as const;

/** Writes the whole page. */
export function renderReferencePage(page: ReferencePage): string {
  const messages = referenceMessages(page.language);
  const content = html`<p class="lead">${messages.lead}</p>
${head(page, messages)}
<div class="columns">
${contents(page, messages)}
<div class="chapters" data-copy="${messages.tryIt.copy}" data-copied="${messages.tryIt.words.copied}">
${page.chapters}
</div>
</div>`;
  return renderPage({
    ...page,
    title: messages.title,
    indexed: !page.site.sandbox,
    content,
    reading: true,
    scripts: REFERENCE_SCRIPTS,
  });
}

/** Writes the chapters. This takes time, so the caller keeps the result and uses it again for the same `directory` and language. */
export function referenceChapters(directory: ReferenceDirectory, language: Language, place: StartPlace): Html {
  const messages = referenceMessages(language);
  return html`${startChapter(directory, messages, place)}
${operationsChapter(directory, messages)}
${directory.types.map((type) => typeChapter(directory, type, messages, language))}
${rulesChapter(directory, messages)}
${modifiersChapter(directory, messages)}
${resultParametersChapter(directory, messages)}
${formatsChapter(directory, messages)}
${batchChapter(directory, messages)}
${errorsChapter(directory, messages)}
${limitsChapter(directory, messages, language)}
${changesChapter(directory, messages)}`;
}

function head(
  { directory, freshness, openapi, language }: ReferencePage,
  { facts: messages }: ReferenceMessages,
): Html {
  const { base } = directory;
  return facts([
    [messages.base, html`<code>${base}</code>`],
    [messages.edition, freshness ? editionOf(freshness, messages, language) : messages.none],
    [
      messages.machine,
      html`<a href="${openapi}">${messages.openapi}</a> <a href="${`${base}/metadata`}">${messages.metadata}</a> <a href="${`${base}/.well-known/smart-configuration`}">${messages.smart}</a>`,
    ],
  ]);
}

function editionOf({ created, counts }: Freshness, messages: ReferenceMessages['facts'], language: Language): Html {
  const number = new Intl.NumberFormat(language);
  const [people = '', structures = '', roles = ''] = ['Practitioner', 'Organization', 'PractitionerRole'].map((type) =>
    number.format(counts[type] ?? 0),
  );
  return html`${messages.counts(people, structures, roles)}${
    created !== undefined &&
    html`<br><time datetime="${created}">${messages.loaded(formatDateTime(Date.parse(created) / 1000, language))}</time>`
  }`;
}

function contents({ directory }: ReferencePage, messages: ReferenceMessages): Html {
  const entries: (readonly [id: string, title: string])[] = [
    ['start', messages.start.title],
    ['operations', messages.operations.title],
    ...directory.types.map(({ type }) => [type, messages.type[type]?.title ?? type] as const),
    ['rules', messages.rules.title],
    ['modifiers', messages.modifiers.title],
    ['controls', messages.resultParameters.title],
    ['formats', messages.formats.title],
    ['batch', messages.batch.title],
    ['errors', messages.errors.title],
    ['limits', messages.limits.title],
    ['export', messages.bulk.title],
  ];
  return html`<nav class="contents" aria-label="${messages.contents}">
<p class="filter" hidden><label for="filter">${messages.table.filter}</label><input type="search" id="filter"><span id="filtered" role="status" data-found="${messages.table.filtered}"></span></p>
${codeLanguages(messages.codeIn)}
<ul>${entries.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}
