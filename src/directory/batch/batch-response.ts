// Writes the Bundle of type batch-response (STU3 Bundle.entry.response). Entries are written one by one, so that other requests get their
// turn between them.

import { STATUS_CODES } from 'node:http';
import { parsedJson, type Representation, serialized } from '#directory/format/serialize.ts';
import { elementOfXml, withElements, writeXml } from '#directory/format/xml/write-xml.ts';
import type { DirectoryResponse } from '#directory/middleware/interaction.ts';

/** The answer to one entry: either a response, or an OperationOutcome as JSON text that refuses the entry. */
export interface EntryAnswer {
  status: number;
  response?: DirectoryResponse;
  outcome?: string;
}

/** The form of the whole Bundle. It holds for every entry, even if the address of an entry asks for another one. */
export type BatchForm = Pick<Representation, 'format' | 'pretty'>;

/** Writes one entry as text, of which `batchResponse` makes the Bundle. */
export function entryText({ status, response, outcome }: EntryAnswer, form: BatchForm): string {
  const { etag, lastUpdated: lastModified } = response?.version ?? {};
  const head = JSON.stringify({ status: `${status} ${STATUS_CODES[status]}`, etag, lastModified });
  const described = outcome === undefined ? head : `${head.slice(0, -1)},"outcome":${outcome}}`;
  const resource =
    response && status === 200
      ? `"resource":${serialized(response.json, { ...response.representation, format: 'json', pretty: false })},`
      : '';
  const json = `{${resource}"response":${described}}`;
  if (form.format === 'xml') return elementOfXml('Bundle', 'entry', parsedJson(json), form);
  // All line breaks here belong to the layout, because JSON escapes those within texts.
  return form.pretty ? JSON.stringify(parsedJson(json), null, 2).replaceAll('\n', '\n    ') : json;
}

/** Writes the Bundle as text, in JSON or XML. */
export function batchResponse(entries: readonly string[], { format, pretty }: BatchForm): string {
  const bundle = { resourceType: 'Bundle', type: 'batch-response' };
  if (format === 'xml') return withElements(writeXml(bundle, { pretty }), entries);
  // STU3 has no empty arrays, so a Bundle without entries has no `entry`.
  if (entries.length === 0) return JSON.stringify(bundle, null, pretty ? 2 : undefined);
  return pretty
    ? `${JSON.stringify(bundle, null, 2).slice(0, -2)},\n  "entry": [\n    ${entries.join(',\n    ')}\n  ]\n}`
    : `${JSON.stringify(bundle).slice(0, -1)},"entry":[${entries.join()}]}`;
}
