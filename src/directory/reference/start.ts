// The chapter for beginners: from registration to the first response.

import { type Html, html } from '#web/html.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeBlock, prose } from './parts.ts';
import type { ReferenceDirectory } from './reference-data.ts';
import { authorization, clientStart, curlSearch, exchange, refresh, usualPairs } from './snippets.ts';

export function startChapter(
  directory: ReferenceDirectory,
  { start }: ReferenceMessages,
  demo: string | undefined,
): Html {
  const people = directory.types.find(({ type }) => type === 'Practitioner');
  const pairs = people ? usualPairs(people) : [];
  const steps: readonly (readonly [title: string, about: string, code?: string])[] = [
    [start.register, start.registerAbout],
    [start.signIn, start.signInAbout, authorization(directory)],
    [start.exchange, start.exchangeAbout, exchange(directory.tokenUrl)],
    [start.search, start.searchAbout, curlSearch(directory.base, 'Practitioner', pairs)],
    [start.client, start.clientAbout, clientStart(directory.base, pairs)],
    [start.unattended, start.unattendedAbout, refresh(directory.tokenUrl)],
  ];
  return chapter(
    'start',
    start.title,
    html`<ol class="steps">${steps.map(
      ([
        title,
        about,
        code,
      ]) => html`<li><h3>${title}</h3><p>${prose(about)}</p>${code !== undefined && codeBlock(title, code)}</li>
`,
    )}</ol>${demo !== undefined && html`<p class="after"><a href="${demo}">${start.demo}</a></p>`}`,
  );
}
