// The chapter of the reference page that lists all operations: method, path, what each one does, and the scope that it needs.

import { type Html, html } from '#web/html.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, table } from './parts.ts';
import type { ReferenceDirectory } from './reference-data.ts';

/** One operation. If `scopes` is absent, it needs the scopes of the types that it reads. */
type Operation = readonly [
  method: string,
  path: string,
  does: string,
  chapter?: string | undefined,
  scopes?: readonly string[],
];

export function operationsChapter(directory: ReferenceDirectory, { operations, open }: ReferenceMessages): Html {
  return chapter(
    'operations',
    operations.title,
    table(
      operations.title,
      [
        { title: operations.path, kind: 'path' },
        { title: operations.does },
        { title: operations.scope, kind: 'permission' },
      ],
      operationsOf(directory, operations).map(([method, path, does, id, scopes]) => [
        html`<span class="method">${method}</span> ${id ? html`<a href="#${id}"><code>${path}</code></a>` : html`<code>${path}</code>`}`,
        does,
        scopes?.length === 0 ? open : (scopes?.map((scope) => html`<code>${scope}</code> `) ?? operations.ofTypes),
      ]),
    ),
  );
}

/** Lists all operations, by their paths below the base address. */
export function operationsOf(
  { types }: Pick<ReferenceDirectory, 'types'>,
  { search, read, form, version, batch, bulk, capabilities, smart }: ReferenceMessages['operations'],
): Operation[] {
  return [
    ...types.flatMap(({ type, scopes }): Operation[] => [
      ['GET', `/${type}`, search, type, scopes],
      ['GET', `/${type}/{id}`, read, type, scopes],
    ]),
    ['POST', '/{Type}/_search', form, 'rules'],
    ['GET', '/{Type}/{id}/_history/{version}', version, 'formats'],
    ['POST', '/', batch, 'batch'],
    ['GET', '/$export', bulk, 'export'],
    ['GET', '/metadata', capabilities, undefined, []],
    ['GET', '/.well-known/smart-configuration', smart, undefined, []],
  ];
}
