// The chapter of each resource type on the reference page: its scopes, elements, parameters with their rules, inclusions, orders and
// examples.

import type { Pair } from '#directory/middleware/raw-query.ts';
import { definitionOf } from '#shared/stu3/elements.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { ReferenceDirectory, ReferenceParameter, ReferenceType } from './descriptions.ts';
import { requestLine, sampleResources, usualPairs } from './examples.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeIn, named, prose, table } from './parts.ts';

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

/**
 * Describes what a parameter searches, and its matching rule. If the messages lack the parameter, the only text is its English
 * documentation.
 */
export function ruleOf(type: string, parameter: ReferenceParameter, messages: ReferenceMessages): string[] {
  const { name, matching, contact, minimum = 1, equivalents, target } = parameter;
  const looksAt = messages.looksAt[`${type}.${name}`] ?? messages.looksAt[name];
  const rule = messages.matching[contact ?? matching];
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
  const pairsOf = (name: string, values: readonly string[]) => values.map((value): Pair => [name, value]);
  const included = [...pairsOf('_include', includes), ...pairsOf('_revinclude', revIncludes)];
  const part = (title: string, about: string, pairs: readonly Pair[]) =>
    pairs.length > 0 && html`<h3>${title}</h3><p>${prose(about)}</p>${tried(directory, type.type, pairs)}`;
  return html`${part(messages.includes, messages.includesAbout, included)}${part(messages.sorts, messages.sortsAbout, pairsOf('_sort', sorts))}`;
}

/** Renders search criteria as links to the try page, where the reader can send them. */
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
 * Makes a search for one entry and all that belongs to it. It includes the resources of another type that refer to the entry
 * (`_revinclude`), and every resource to which these refer in turn (`_include:recurse`). Undefined if no other type refers to this type.
 */
export function withEverything({ type, exampleId, revIncludes }: ReferenceType, types: readonly ReferenceType[]) {
  const back = revIncludes.find((path) => !path.startsWith(`${type}:`));
  if (back === undefined) return undefined;
  const source = types.find((one) => one.type === back.split(':', 1)[0]);
  const onward = source?.includes.filter((path) => path !== back) ?? [];
  const recursing = onward.map((path) => ['_include:recurse', path]);
  return [['_id', exampleId], ['_revinclude', back], ...recursing] as Pair[];
}

/**
 * The elements that resources of each type have, in the order in which a resource has them. A test compares the list with a whole edition.
 */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Practitioner: ['id', 'meta', 'identifier', 'active', 'name', 'telecom', 'address', 'qualification'],
  Organization: ['id', 'meta', 'identifier', 'active', 'type', 'name', 'alias', 'telecom', 'address', 'partOf'],
  PractitionerRole: ['id', 'meta', 'active', 'practitioner', 'organization', 'code', 'specialty'],
  SearchParameter: ['id', 'url', 'name', 'code', 'base', 'type', 'target', 'xpath', 'description'],
  CodeSystem: ['id', 'url', 'name', 'title', 'date', 'content', 'property', 'concept'],
};

/** Members of an element that its example omits. */
const LEFT_OUT = new Set(['extension', 'use', 'rank', 'versionId']);

export function fieldsOf(
  directory: ReferenceDirectory,
  { type, filled, count }: ReferenceType,
  { fields, table: names }: ReferenceMessages,
  language: Language,
): Html {
  const elements = FIELDS[type] ?? [];
  const resource: object = directory.resources[type] ?? sampleResources(directory)[type] ?? {};
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const isKnown = count > 0 && elements.some((element) => filled[element] !== undefined);
  /** The share is rounded down, so that the page shows 100 % only if every resource has the element. */
  const shareOf = (element: string) => {
    if (element === 'id' || element === 'meta') return share.format(1);
    const found = filled[element];
    return found === undefined ? '' : share.format(Math.floor((found / count) * 100) / 100);
  };
  return html`<h3 id="${type}.fields">${fields.title}</h3>${table(
    `${fields.title}, ${type}`,
    [
      { title: fields.element, kind: 'name' },
      { title: fields.meaning },
      ...(isKnown ? [{ title: fields.filled, kind: 'filled', lead: fields.filledLead }] : []),
      { title: names.example, kind: 'example', lead: names.exampleLead },
    ],
    elements.map((element) => {
      const { type: kind = '', repeats = false } = definitionOf(type)?.elements.get(element) ?? {};
      const example = exampleIn(resource, element);
      return [
        html`<code>${element}</code><span class="kind">${kind.includes('.') ? element : kind}${repeats && '[]'}</span>`,
        prose(fields.meanings[`${type}.${element}`] ?? fields.meanings[element] ?? ''),
        ...(isKnown ? [shareOf(element)] : []),
        example !== '' && html`<code>${example}</code>`,
      ];
    }),
  )}`;
}

/** The first value of an element, without the members that examples omit. */
function exampleIn(resource: object, element: string): string {
  const [first] = [(resource as Record<string, unknown>)[element]].flat();
  if (first === undefined) return '';
  const text = JSON.stringify(first, (name, value) => (LEFT_OUT.has(name) ? undefined : firstOf(name, value)));
  return typeof first === 'object' ? text : String(first);
}

/** Keeps only the first of several codings, with its code and display but without the long system. */
function firstOf(name: string, value: unknown): unknown {
  if (name !== 'coding' || !Array.isArray(value)) return value;
  const [{ code, display }] = value as [{ code?: string; display?: string }];
  return [{ code, display }];
}
