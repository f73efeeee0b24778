// A small directory for the chapters of the reference, texts that name themselves, and the outline of what is written with them.

import { LIMITS } from '#directory/limits.ts';
import type { ReferenceDirectory, ReferenceType } from '#directory/reference/descriptions.ts';
import type { ReferenceMessages } from '#directory/reference/messages/fr.ts';

/** Texts that are their own paths; with gaps filled, `path(a,b)`. What matches `without` is not there. */
function echo(path: string, without: RegExp): unknown {
  const fill = (...gaps: unknown[]) =>
    `${path}(${gaps.map((gap) => (typeof gap === 'object' ? 'object' : gap)).join()})`;
  return new Proxy(fill, {
    get(_, key) {
      if (key === Symbol.toPrimitive || key === 'toString') return () => path;
      if (key === 'split') return (separator: string) => path.split(separator);
      const inner = path === '' ? String(key) : `${path}.${String(key)}`;
      return without.test(inner) ? undefined : echo(inner, without);
    },
  });
}
export const messages = echo(
  '',
  /^looksAt\.(Practitioner|SearchParameter)\.|^looksAt\.odd$|^modifiers\.meanings\.Practitioner$|^limits\.names\.(?!included)|^resultParameters\.meanings\._page$|^fields\.meanings\.\w+\.\w+$/,
) as ReferenceMessages;

const parameter = {
  name: 'name',
  type: 'string',
  matching: 'words',
  documentation: 'D.',
  example: 'mart',
  modifiers: ['exact', 'missing'],
  minimum: 2,
  equivalents: true,
};
export const DIRECTORY = {
  base: 'https://c.example/v2',
  namespace: 'https://c.example',
  authorizationUrl: 'https://c.example/a',
  tokenUrl: 'https://c.example/t',
  tryPage: '/try',
  types: [
    {
      type: 'Practitioner',
      scopes: ['P'],
      count: 3,
      filled: { identifier: 2, name: 3 },
      exampleId: 'p-1',
      includes: [],
      revIncludes: ['PractitionerRole:practitioner'],
      sorts: ['name', '-name'],
      chains: [['_has:PractitionerRole:practitioner:role', 'L']],
      parameters: [parameter, { ...parameter, name: 'odd', matching: 'token', modifiers: [], example: '10' }],
    },
    {
      type: 'PractitionerRole',
      scopes: ['P', 'O'],
      count: 0,
      filled: {},
      exampleId: 'r-1',
      includes: ['PractitionerRole:practitioner', 'PractitionerRole:organization'],
      revIncludes: [],
      sorts: [],
      chains: [],
      parameters: [
        {
          ...parameter,
          name: 'practitioner',
          type: 'reference',
          matching: 'reference',
          target: 'Practitioner',
          example: 'Practitioner/p-1',
          modifiers: ['Practitioner', 'missing'],
          minimum: undefined,
          equivalents: undefined,
        },
      ],
    },
    {
      type: 'SearchParameter',
      scopes: [],
      count: 0,
      filled: {},
      exampleId: 's-1',
      includes: [],
      revIncludes: [],
      sorts: [],
      chains: [],
      parameters: [{ ...parameter, name: 'base', modifiers: [] }],
    },
  ],
  resultParameters: [
    { name: '_count', example: 'Practitioner?_count=20' },
    { name: '_page', example: '' },
  ],
  since: '2026-11-20T05:00:00.000Z',
  formats: ['application/fhir+json', 'json'],
  prefixes: ['eq', 'ne'],
  limits: LIMITS,
  resources: {
    Practitioner: {
      id: 'p-1',
      meta: { versionId: '1', lastUpdated: 'L' },
      identifier: [{ use: 'official', value: '7' }],
      active: true,
      qualification: [{ code: { coding: [{ system: 's', code: '10', display: 'M' }, { code: '11' }] } }],
    },
  },
  refusals: [{ status: 400, codes: 'value, structure' }],
} as unknown as ReferenceDirectory;

/** What differs from page to page: texts, targets, classes and ids, without the code in each language and the frame of tables. */
export const outlineOf = (html: unknown) =>
  String(html)
    .replace(/<pre[^>]*data-language="(\w+)" aria-label="([^"]*)"><code>[\s\S]*?<\/code><\/pre>/g, '[$2] ')
    .replace(/<pre[^>]*aria-label="([^"]*)"><code>[\s\S]*?<\/code><\/pre>/g, '[$1] ')
    .replace(/\s+/g, ' ')
    .replace(/ (?:role|scope|tabindex|aria-labelledby)="[^"]*"/g, '')
    .replace(
      /<td data-title="([^"]*)" class="([^"]*)">/g,
      (_, lead, kind) => ` |${[kind, lead].filter(Boolean).join(' ')} `,
    )
    .replace(/<(?:tr|h3[^>]*|dt|ol [^>]*|fieldset[^>]*|p class="caption")>/g, '\n$&')
    .replace(/<\/\w+>|<(?:tr|td|th|p|strong|dl|div|ul|span|label|legend|li|pre|table|tbody)>/g, ' ')
    .replace(/<(\w+)>/g, '$1:')
    .replace(/&quot;/g, '"')
    .replace(/ +/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();

export const typeAt = (at: number) => DIRECTORY.types[at] as ReferenceType;
