// Owns the chapter of each type: who may search it, by what, with which rule, and examples.
// Does not own the rules that all types share (`rules.ts`).

import { type Html, html } from '../web/html.ts';
import type { ReferenceDirectory, ReferenceParameter, ReferenceType } from './directory.ts';
import { chapter, codeBlock, prose, table } from './parts.ts';
import { clientSearch, curlGet, curlSearch, usualPairs } from './snippets.ts';
import type { ReferenceWords } from './words.ts';

export function typeChapter(directory: ReferenceDirectory, type: ReferenceType, words: ReferenceWords): Html {
  const { title, about } = words.type[type.type] ?? { title: type.type, about: '' };
  return chapter(
    type.type,
    title,
    html`<p class="address"><code>${type.type}</code> ${permission(type, words)}</p>
<p>${about}</p>
${table(
  words.table.parameters(type.type),
  [
    { title: words.table.parameter, kind: 'name' },
    { title: words.table.rule },
    { title: words.table.example, kind: 'example' },
  ],
  type.parameters.map((parameter) => row(type, parameter, words)),
)}
${joined(type, words)}
${examples(directory, type, words)}`,
  );
}

function permission({ permissions }: ReferenceType, words: ReferenceWords): string {
  if (permissions.length === 0) return words.open;
  return (permissions.length > 1 ? words.scopes : words.scope)(permissions.join(' '));
}

function row({ type }: ReferenceType, parameter: ReferenceParameter, words: ReferenceWords) {
  const { name, example } = parameter;
  return [
    html`<code>${name}</code><span class="kind">${parameter.type}</span>`,
    html`${ruleOf(type, parameter, words)}${modifiersOf(parameter, words)}`,
    html`<code>${name}=${example}</code>`,
  ];
}

function modifiersOf({ modifiers }: ReferenceParameter, words: ReferenceWords): Html | undefined {
  if (modifiers.length === 0) return undefined;
  return html`<span class="modifiers">${words.table.modifiers}\u00a0: ${modifiers.map((modifier) => html`<code>:${modifier}</code> `)}</span>`;
}

function ruleOf(type: string, parameter: ReferenceParameter, words: ReferenceWords): Html {
  const { name, matching, minimum = 1, equivalents, target } = parameter;
  const looksAt = words.looksAt[`${type}.${name}`] ?? words.looksAt[name];
  const rule = words.matching[matching];
  if (looksAt === undefined || rule === undefined) return html`<span lang="en">${parameter.documentation}</span>`;
  const more = [
    minimum > 1 && words.minimum(minimum),
    name === 'address' && words.oneAddress,
    equivalents === true && words.equivalents,
    target !== undefined && words.target(target),
  ].filter((sentence) => sentence !== false);
  return html`<strong>${looksAt}</strong> ${prose([rule, ...more].join(' '))}`;
}

function joined({ includes, revIncludes, sorts }: ReferenceType, words: ReferenceWords): Html {
  const includeList = [
    ...includes.map((include) => `_include=${include}`),
    ...revIncludes.map((include) => `_revinclude=${include}`),
  ];
  return html`${
    includeList.length > 0 &&
    html`<h3>${words.includes}</h3><p>${prose(words.includesAbout)}</p><p class="codes">${includeList.map((include) => html`<code>${include}</code> `)}</p>`
  }${
    sorts.length > 0 &&
    html`<h3>${words.sorts}</h3><p>${prose(words.sortsAbout)}</p><p class="codes">${sorts.map((sort) => html`<code>_sort=${sort}</code> `)}</p>`
  }`;
}

function examples({ base }: ReferenceDirectory, type: ReferenceType, words: ReferenceWords): Html {
  const pairs = usualPairs(type);
  const token = type.permissions.length > 0;
  const [revInclude] = type.revIncludes;
  const everything =
    revInclude === undefined
      ? []
      : ([
          ['_id', type.exampleId],
          ['_revinclude', revInclude],
        ] as const);
  return html`<h3>${words.examples}</h3>
${codeBlock(`curl, ${type.type}`, curlSearch(base, type.type, pairs, { token }))}
${everything.length > 0 && codeBlock(`curl, ${type.type}, _revinclude`, curlSearch(base, type.type, everything))}
${codeBlock(`fhir-kit-client, ${type.type}`, clientSearch(type.type, pairs))}
${token && codeBlock(`curl, ${words.read}, ${type.type}`, curlGet(`${base}/${type.type}/${type.exampleId}`))}`;
}
