// Writes the Bundle of type batch-response, entry by entry, so that no step takes long (STU3 Bundle.entry.response).

import { STATUS_CODES } from 'node:http';
import { parsedJson, type Representation, serialized } from '#directory/format/serialize.ts';
import { elementOfXml, withElements, writeXml } from '#directory/format/xml/write-xml.ts';
import type { DirectoryResponse } from '#directory/middleware/interaction.ts';

/** The answer to one entry: a response, or JSON text of the OperationOutcome that refuses it. */
export interface EntryAnswer {
  status: number;
  response?: DirectoryResponse;
  outcome?: string;
}

/** The form of the whole Bundle, whatever the address of an entry asks for. */
export type BatchForm = Pick<Representation, 'format' | 'pretty'>;

/** One entry, as `batchResponse` takes it. */
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
  // A text in JSON has no line break of its own.
  return form.pretty ? JSON.stringify(parsedJson(json), null, 2).replaceAll('\n', '\n    ') : json;
}

/** The Bundle as text of its format. */
export function batchResponse(entries: readonly string[], { format, pretty }: BatchForm): string {
  const bundle = { resourceType: 'Bundle', type: 'batch-response' };
  if (format === 'xml') return withElements(writeXml(bundle, { pretty }), entries);
  // STU3 knows no empty arrays.
  if (entries.length === 0) return JSON.stringify(bundle, null, pretty ? 2 : undefined);
  return pretty
    ? `${JSON.stringify(bundle, null, 2).slice(0, -2)},\n  "entry": [\n    ${entries.join(',\n    ')}\n  ]\n}`
    : `${JSON.stringify(bundle).slice(0, -1)},"entry":[${entries.join()}]}`;
}
