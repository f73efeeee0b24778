// Parses the parameters of an export. If the client names a time (`_since`), also checks that the directory knows all changes since that
// time, because the client will apply them to its copy of an earlier edition.

import { type FhirError, fhirError, parameterError, shownName } from '#directory/errors.ts';
import { encodeQuery, parseQuery } from '#directory/middleware/raw-query.ts';
import { parseDateRanges } from '#directory/search/date-ranges.ts';
import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '#search-index/index.ts';

export interface ExportRequest {
  types: readonly ResourceType[];
  /** True if the request names the types. If it names none, all types are exported. */
  named: boolean;
  /** Milliseconds since 1970. Only resources that were added, changed or removed after this time are exported. */
  since?: number;
  /** The parsed parameters as a query, which the links of the export contain. */
  query: string;
}

/** The names of NDJSON in `_outputFormat` (Bulk Data Access). No other format is offered. */
const OUTPUT_FORMATS = ['application/fhir+ndjson', 'application/ndjson', 'ndjson'];

/** Parameters of Bulk Data Access that the directory does not support, each with a hint for the client. */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ['_typeFilter', 'search instead, or take the whole type'],
  ['_elements', 'resources are exported whole'],
  ['includeAssociatedData', 'there is none'],
  ['patient', 'the directory holds no patients'],
]);

/**
 * Parses the query of an export.
 * @param ofType the type in the address of the export, as in `Practitioner/$export`
 * @throws FhirError 400 for parameters that are unknown, repeated or not supported, and for invalid values
 */
export function exportRequest(raw: string, ofType?: ResourceType): ExportRequest {
  const sent = new Map<string, string>();
  for (const [name, value] of parseQuery(raw)) {
    const again = sent.get(name);
    // Only `_type` may be repeated. Clients of R4 write a list of types in this way.
    if (again !== undefined && name !== '_type') throw parameterError(name, 'stands more than once: send it once.');
    sent.set(name, again === undefined ? value.trim() : `${again},${value.trim()}`);
  }
  for (const [name, value] of sent) {
    if (!['_type', '_since', '_outputFormat', '_format'].includes(name)) throw unknown(name);
    if (value === '') throw parameterError(name, 'has no value: give it one, or leave it out.');
  }
  checkFormat(sent.get('_outputFormat'));
  const list = sent.get('_type');
  const types = list === undefined ? undefined : typesOf(list);
  if (ofType && types?.some((type) => type !== ofType))
    throw parameterError('_type', `is ${ofType} at this address: ask [base]/$export for other types.`);
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
        `is one or more of ${RESOURCE_TYPES.join(',')}, not ${shownName(name)}.`,
        'not-supported',
      );
  }
  return RESOURCE_TYPES.filter((type) => names.includes(type));
}

function checkFormat(format: string | undefined): void {
  // A `+` that the client did not percent-encode was decoded to a blank. So blanks become `+` again.
  if (format !== undefined && !OUTPUT_FORMATS.includes(format.replaceAll(' ', '+').toLowerCase()))
    throw parameterError(
      '_outputFormat',
      `is ${OUTPUT_FORMATS.join(', ')}: nothing else is exported.`,
      'not-supported',
    );
}

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const from = parseDateRanges(`ge${text}`)?.[0]?.from;
  if (from === undefined)
    throw parameterError(
      '_since',
      'is an instant: the transactionTime of an earlier export, as 2026-11-21T08:30:00.000Z.',
    );
  return from;
}

function unknown(name: string): FhirError {
  const shown = shownName(name);
  const instead = NOT_OFFERED.get(name) ?? 'known are _type, _since and _outputFormat';
  return parameterError(shown, `is not supported in an export: ${instead}.`, 'not-supported');
}

/** The clock of a client may be fast. So `_since` may lie this many milliseconds in the future. */
const AHEAD = 60_000;

/**
 * Checks that the snapshot knows all changes since the time `since`. If an edition of its history was made exactly at that time, the client
 * has a copy of this edition, and the check succeeds. Otherwise, the client is taken to have a copy of the last edition before that time.
 * This may be wrong if a rollback has taken editions of around that time out of the history: the copy may be of one of these, and may hold
 * resources that the current edition never had. So the check fails if there were such editions.
 * @param since milliseconds since 1970
 * @param overtaken checks whether an edition later than the current one is known, as after a rollback
 * @throws FhirError 410 if some changes since the time are not known, and 400 if the time is in the future
 */
export async function checkHistory(
  snapshot: Snapshot,
  since: number,
  overtaken: () => Promise<boolean>,
): Promise<void> {
  const editions = (await snapshot.history()).map(({ created, apart }) => ({ at: Date.parse(created), apart }));
  if (editions.some(({ at }) => at === since)) return;
  const first = editions[0];
  if (!first || since < first.at) {
    const from = first ? ` of ${new Date(first.at).toISOString()}` : '';
    throw anew(`What was removed is known since the edition${from} only`);
  }
  const next = editions.find(({ at }) => at > since);
  if (next ? next.apart : await overtaken()) throw anew('The directory went back to an edition before that time');
  const latest = editions.at(-1)?.at ?? 0;
  if (since > Math.max(latest, Date.now()) + AHEAD) throw toCome(latest);
}

/** Refuses a time in the future (400). If it were accepted, a client with a wrong clock would miss changes without noticing. */
function toCome(latest: number) {
  const edition = `The edition here is of ${new Date(latest).toISOString()}.`;
  const remedy = 'Send the transactionTime of the export that the copy was made from.';
  return parameterError('_since', `is a time to come: is a clock wrong? ${edition} ${remedy}`);
}

function anew(reason: string) {
  return fhirError(410, 'not-found', `${reason}: export everything, without _since, and replace the copy.`, {
    parameter: '_since',
  });
}
