// Parses the parameters of an export.

import { type FhirError, parameterError, shownName } from '#directory/errors.ts';
import { encodeQuery, parseQuery } from '#directory/middleware/raw-query.ts';
import { parseDateRanges } from '#directory/search/date-ranges.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';

export interface ExportRequest {
  types: readonly ResourceType[];
  /** Whether the types were named, rather than all being meant. */
  named: boolean;
  /** Milliseconds since 1970: only what was new, changed or removed later. */
  since?: number;
  /** The request as it was understood, for links. */
  query: string;
}

/** Names of NDJSON, the only format (Bulk Data Access, `_outputFormat`). */
const OUTPUT_FORMATS = ['application/fhir+ndjson', 'application/ndjson', 'ndjson'];

/** Parameters of Bulk Data Access that narrow or enrich an export in ways that are not offered. */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ['_typeFilter', 'search instead, or take the whole type'],
  ['_elements', 'resources are exported whole'],
  ['includeAssociatedData', 'there is none'],
  ['patient', 'the directory holds no patients'],
]);

/**
 * @param ofType the type in the address of the export, as in `Practitioner/$export`
 * @throws FhirError 400
 */
export function exportRequest(raw: string, ofType?: ResourceType): ExportRequest {
  const sent = new Map<string, string>();
  for (const [name, value] of parseQuery(raw)) {
    const again = sent.get(name);
    // Only `_type` may be repeated: R4's form of a list.
    if (again !== undefined && name !== '_type')
      throw parameterError(name, 'value', 'stands more than once: send it once.');
    sent.set(name, again === undefined ? value.trim() : `${again},${value.trim()}`);
  }
  for (const [name, value] of sent) {
    if (!['_type', '_since', '_outputFormat', '_format'].includes(name)) throw unknown(name);
    if (value === '') throw parameterError(name, 'value', 'has no value: give it one, or leave it out.');
  }
  checkFormat(sent.get('_outputFormat'));
  const list = sent.get('_type');
  const types = list === undefined ? undefined : typesOf(list);
  if (ofType && types?.some((type) => type !== ofType))
    throw parameterError('_type', 'value', `is ${ofType} at this address: ask [base]/$export for other types.`);
  const since = sinceOf(sent.get('_since'));
  const chosen = ofType ? [ofType] : types;
  const links: [string, string][] = [];
  if (chosen) links.push(['_type', chosen.join(',')]);
  if (since !== undefined) links.push(['_since', new Date(since).toISOString()]);
  return {
    types: chosen ?? RESOURCE_TYPES,
    named: chosen !== undefined,
    ...(since === undefined ? {} : { since }),
    query: encodeQuery(links),
  };
}

function typesOf(list: string): ResourceType[] {
  const names = list.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!RESOURCE_TYPES.some((type) => type === name))
      throw parameterError(
        '_type',
        'not-supported',
        `is one or more of ${RESOURCE_TYPES.join(',')}, not ${shownName(name)}.`,
      );
  }
  return RESOURCE_TYPES.filter((type) => names.includes(type));
}

function checkFormat(format: string | undefined): void {
  // A + that was not percent-encoded has become a blank.
  if (format !== undefined && !OUTPUT_FORMATS.includes(format.replaceAll(' ', '+').toLowerCase()))
    throw parameterError(
      '_outputFormat',
      'not-supported',
      `is ${OUTPUT_FORMATS.join(', ')}: nothing else is exported.`,
    );
}

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const from = parseDateRanges(`ge${text}`)?.[0]?.from;
  if (from === undefined)
    throw parameterError(
      '_since',
      'value',
      'is an instant: the transactionTime of an earlier export, as 2026-11-21T08:30:00.000Z.',
    );
  return from;
}

function unknown(name: string): FhirError {
  const shown = shownName(name);
  const instead = NOT_OFFERED.get(name) ?? 'known are _type, _since and _outputFormat';
  return parameterError(shown, 'not-supported', `is not supported in an export: ${instead}.`);
}
