// Lists the elements of a resource type on the reference page: the meaning of each, the share of resources that have it, and an example.

import { definitionOf } from '#shared/stu3/elements.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { prose, table } from './parts.ts';
import type { ReferenceDirectory, ReferenceType } from './reference-data.ts';
import { sampleResources } from './sample.ts';

/** The elements that resources of each type have, in their order. A test compares the list with a whole edition. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Practitioner: ['id', 'meta', 'identifier', 'active', 'name', 'telecom', 'address', 'qualification'],
  Organization: ['id', 'meta', 'identifier', 'active', 'type', 'name', 'alias', 'telecom', 'address', 'partOf'],
  PractitionerRole: ['id', 'meta', 'active', 'practitioner', 'organization', 'code', 'specialty'],
  SearchParameter: ['id', 'url', 'name', 'code', 'base', 'type', 'target', 'xpath', 'description'],
  CodeSystem: ['id', 'url', 'name', 'title', 'date', 'content', 'property', 'concept'],
};

/** Members that the examples omit. */
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
  /** The share is rounded down, so that 100 % means every resource. */
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
