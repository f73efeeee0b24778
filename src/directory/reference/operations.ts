// The chapter of all operations: method, path, what it does, and the scope that it needs.

import { type Html, html } from '#web/html.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, table } from './parts.ts';
import type { ReferenceDirectory } from './reference-data.ts';

/** Without `scopes`, the operation needs those of the types concerned. */
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

/** Everything that is served, by its path below the base address. */
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
