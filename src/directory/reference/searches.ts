// The chapter of each resource type on the reference page: its scopes, elements, parameters with their rules, inclusions, orders and
// examples.

import type { Pair } from '#directory/middleware/raw-query.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { fieldsOf } from './fields.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeIn, named, prose, table } from './parts.ts';
import type { ReferenceDirectory, ReferenceParameter, ReferenceType } from './reference-data.ts';
import { requestLine, usualPairs } from './snippets.ts';

export function typeChapter(
  directory: ReferenceDirectory,
  type: ReferenceType,
  messages: ReferenceMessages,
  language: Language,
): Html {
  const { title, about } = messages.type[type.type] ?? { title: type.type, about: '' };
  return chapter(
    type.type,
    title,
    html`<p class="scope"><code>${type.type}</code> ${permission(type, messages)}</p>
<p>${prose(about)}</p>
${fieldsOf(directory, type, messages, language)}
<h3 id="${type.type}.criteria">${messages.table.criteria}</h3>
<p>${prose(messages.table.unencoded)}</p>
${table(
  messages.table.parameters(type.type),
  [
    { title: messages.table.parameter, kind: 'name' },
    { title: messages.table.rule },
    { title: messages.table.example, kind: 'example', lead: messages.table.exampleLead },
  ],
  type.parameters.map((parameter) => row(directory, type, parameter, messages)),
  'parameters',
)}
${joined(directory, type, messages)}
${chains(directory, type, messages)}
${examples(directory, type, messages)}`,
  );
}

function permission({ scopes }: ReferenceType, messages: ReferenceMessages): string {
  if (scopes.length === 0) return messages.open;
  return (scopes.length > 1 ? messages.scopes : messages.scope)(scopes.join(' '));
}

function row(
  { tryPage }: ReferenceDirectory,
  { type }: ReferenceType,
  parameter: ReferenceParameter,
  messages: ReferenceMessages,
) {
  const { name, example } = parameter;
  return [
    html`${named(type, name)}<span class="kind">${parameter.type}</span>`,
    html`${ruleElements(type, parameter, messages)}${modifiersOf(parameter, messages)}`,
    html`<a href="${tryPage}#${requestLine(type, [[name, example]])}"><code>${name}=${example}</code></a>`,
  ];
}

function modifiersOf({ modifiers }: ReferenceParameter, messages: ReferenceMessages): Html | undefined {
  if (modifiers.length === 0) return undefined;
  return html`<span class="modifiers">${messages.table.modifiersLead} ${modifiers.map((modifier) => html`<code>:${modifier}</code> `)}</span>`;
}

function ruleElements(type: string, parameter: ReferenceParameter, messages: ReferenceMessages): Html {
  const [looksAt = '', rule] = ruleOf(type, parameter, messages);
  if (rule === undefined) return html`<span lang="en">${looksAt}</span>`;
  return html`<strong>${prose(looksAt)}</strong> ${prose(rule)}`;
}

/** Says what a parameter searches, and by what rule. If the messages lack the parameter, its English documentation is shown instead. */
export function ruleOf(type: string, parameter: ReferenceParameter, messages: ReferenceMessages): string[] {
  const { name, matching, minimum = 1, equivalents, target } = parameter;
  const looksAt = messages.looksAt[`${type}.${name}`] ?? messages.looksAt[name];
  const rule = messages.matching[matching];
  if (looksAt === undefined || rule === undefined) return [parameter.documentation];
  const more = [
    minimum > 1 && messages.minimum(minimum),
    name === 'address' && messages.oneAddress,
    equivalents === true && messages.equivalents,
    target !== undefined && messages.target(target),
  ].filter((sentence) => sentence !== false);
  return [looksAt, [rule, ...more].join(' ')];
}

function joined(directory: ReferenceDirectory, type: ReferenceType, messages: ReferenceMessages): Html {
  const { includes, revIncludes, sorts } = type;
  const named = (name: string, values: readonly string[]) => values.map((value): Pair => [name, value]);
  const included = [...named('_include', includes), ...named('_revinclude', revIncludes)];
  const part = (title: string, about: string, pairs: readonly Pair[]) =>
    pairs.length > 0 && html`<h3>${title}</h3><p>${prose(about)}</p>${tried(directory, type.type, pairs)}`;
  return html`${part(messages.includes, messages.includesAbout, included)}${part(messages.sorts, messages.sortsAbout, named('_sort', sorts))}`;
}

/** Renders criteria as links to the page on which to try them. */
function tried({ tryPage }: ReferenceDirectory, type: string, pairs: readonly Pair[]): Html {
  return html`<p class="codes">${pairs.map(
    ([name, value]) =>
      html`<a href="${tryPage}#${requestLine(type, [[name, value]])}"><code>${name}=${value}</code></a> `,
  )}</p>`;
}

function chains(directory: ReferenceDirectory, { type, chains: pairs }: ReferenceType, messages: ReferenceMessages) {
  const [first] = pairs;
  if (!first) return undefined;
  return html`<h3>${messages.chains}</h3><p>${prose(messages.chainsAbout)}</p>${tried(directory, type, pairs)}
${codeIn(directory, messages.chains, requestLine(type, [first]), messages, { about: type })}`;
}

function examples(directory: ReferenceDirectory, type: ReferenceType, messages: ReferenceMessages): Html {
  const token = type.scopes.length > 0;
  const everything = withEverything(type, directory.types);
  const { examples: names } = messages;
  const show = (name: string, request: string) =>
    codeIn(directory, name, request, messages, { about: type.type, token });
  return html`<h3>${names.title}</h3>
${show(names.search, requestLine(type.type, usualPairs(type)))}
${everything && show(names.everything, requestLine(type.type, everything))}
${token && show(names.read, `${type.type}/${type.exampleId}`)}`;
}

/**
 * Makes a search for one entry. It includes the resources of another type that refer to the entry, and the resources to which those refer.
 */
export function withEverything({ type, exampleId, revIncludes }: ReferenceType, types: readonly ReferenceType[]) {
  const back = revIncludes.find((path) => !path.startsWith(`${type}:`));
  if (back === undefined) return undefined;
  const source = types.find((one) => one.type === back.split(':', 1)[0]);
  const onward = source?.includes.filter((path) => path !== back) ?? [];
  return [['_id', exampleId], ['_revinclude', back], ...onward.map((path) => ['_include:recurse', path])] as [
    string,
    string,
  ][];
}
