// The chapters of the reference page that apply to all types: operations, rules, modifiers, result parameters, pages, formats, export,
// errors, limits.

import { type Html, html } from '#web/html.ts';
import type { ReferenceDirectory } from './descriptions.ts';
import { curlBatch, requestLine, systemsOf } from './examples.ts';
import type { ReferenceMessages } from './messages/fr.ts';
import { chapter, codeBlock, codeIn, facts, named, prose, table } from './parts.ts';

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

export function rulesChapter(directory: ReferenceDirectory, { rules, sample }: ReferenceMessages): Html {
  const { prefixes } = directory;
  return chapter(
    'rules',
    rules.title,
    html`${facts([
      [rules.strict, prose(rules.strictAbout)],
      [rules.folding, prose(rules.foldingAbout)],
      [rules.together, prose(rules.togetherAbout)],
      [rules.said, prose(rules.saidAbout)],
      [rules.joining, prose(rules.joiningAbout)],
      [rules.dates, prose(rules.datesAbout(prefixes.map((prefix) => `\`${prefix}\``).join(' ')))],
      [rules.post, prose(rules.postAbout)],
      [rules.notes, prose(rules.notesAbout)],
    ])}
<h3>${sample.systems}</h3>
${table(
  sample.systems,
  [{ title: sample.system, kind: 'name' }, { title: sample.meaning }],
  systemsOf(directory).map(([system, name]) => [html`<code>${system}</code>`, prose(sample.meanings[name] ?? '')]),
)}`,
  );
}

export function modifiersChapter({ types }: ReferenceDirectory, { modifiers }: ReferenceMessages): Html {
  const written = new Set(types.flatMap((type) => type.parameters.flatMap((parameter) => parameter.modifiers)));
  // A modifier that is the name of a type (`:Practitioner`) has no text of its own in the messages. All modifiers of this kind share one
  // row, with the text for `type`.
  const ofType = [...written].filter((name) => modifiers.meanings[name] === undefined);
  const known = [...written].filter((name) => !ofType.includes(name)).map((name) => [name, [name]] as const);
  const rows = ofType.length > 0 ? [...known, ['type', ofType] as const] : known;
  return chapter(
    'modifiers',
    modifiers.title,
    html`<p>${prose(modifiers.about)}</p>${table(
      modifiers.title,
      [{ title: modifiers.modifier, kind: 'name' }, { title: modifiers.meaning }],
      rows.map(([meaning, names]) => [
        names.map((name) => html`<code>:${name}</code> `),
        prose(modifiers.meanings[meaning] ?? ''),
      ]),
    )}`,
  );
}

export function resultParametersChapter(
  directory: ReferenceDirectory,
  { resultParameters: messages, paging, table: examples }: ReferenceMessages,
): Html {
  return chapter(
    'controls',
    messages.title,
    html`${table(
      messages.title,
      [
        { title: messages.parameter, kind: 'name' },
        { title: messages.meaning },
        { title: examples.example, kind: 'example', lead: examples.exampleLead },
      ],
      directory.resultParameters.map(({ name, example }) => [
        named('controls', name),
        prose(messages.meanings[name]?.(directory.limits) ?? ''),
        example !== '' && html`<a href="${directory.tryPage}#${example}"><code>${example}</code></a>`,
      ]),
    )}<h3>${paging.title}</h3><p>${prose(paging.about)}</p>`,
  );
}

export function formatsChapter({ formats }: ReferenceDirectory, { formats: messages }: ReferenceMessages): Html {
  const types = formats.filter((format) => format.includes('/'));
  return chapter(
    'formats',
    messages.title,
    facts([
      [messages.formats, prose(messages.formatsAbout(types.join(', ')))],
      [messages.compression, prose(messages.compressionAbout)],
      [messages.conditional, prose(messages.conditionalAbout)],
      [messages.versions, prose(messages.versionsAbout)],
      [messages.cors, prose(messages.corsAbout)],
    ]),
  );
}

export function batchChapter({ base, types, limits }: ReferenceDirectory, { batch }: ReferenceMessages): Html {
  return chapter(
    'batch',
    batch.title,
    html`<p>${prose(`${batch.about(limits.batchEntries)} ${batch.rules}`)}</p>
${codeBlock('curl, batch', curlBatch(base, types))}`,
  );
}

/**
 * Writes the chapter on changes: how clients export the changes of the directory's data, and how changes of the service itself are
 * announced.
 */
export function changesChapter(directory: ReferenceDirectory, messages: ReferenceMessages): Html {
  const { bulk } = messages;
  return chapter(
    'export',
    bulk.title,
    html`<p>${prose(`${bulk.about} ${bulk.permissions}`)}</p>
${codeIn(directory, bulk.everything, requestLine('$export', [['_type', 'Practitioner,Organization']]), messages)}
<p>${prose(bulk.next)}</p>
${codeIn(directory, bulk.changes, requestLine('$export', [['_since', directory.since]]), messages)}
<p>${prose(bulk.service)}</p>`,
  );
}

export function errorsChapter({ refusals }: ReferenceDirectory, { errors }: ReferenceMessages): Html {
  return chapter(
    'errors',
    errors.title,
    html`<p>${prose(errors.about)}${errors.language !== '' && html` ${errors.language}`}</p>${table(
      errors.title,
      [
        { title: errors.status, kind: 'name' },
        { title: errors.meaning },
        { title: errors.code, kind: 'example', lead: errors.codeLead },
      ],
      refusals.map(({ status, codes }) => [
        html`<code>${status}</code>`,
        prose(errors.meanings[status] ?? ''),
        codes.split(', ').map((code) => html`<code>${code}</code> `),
      ]),
    )}`,
  );
}

export function limitsChapter(directory: ReferenceDirectory, { limits }: ReferenceMessages, language: string): Html {
  const number = new Intl.NumberFormat(language);
  const known = Object.entries(directory.limits).filter(([name]) => limits.names[name] !== undefined);
  return chapter(
    'limits',
    limits.title,
    html`${table(
      limits.title,
      [{ title: limits.what, kind: 'name' }, { title: limits.value }],
      known.map(([name, value]) => [limits.names[name], number.format(value)]),
    )}<p class="after">${prose(limits.rates)}</p>`,
  );
}
