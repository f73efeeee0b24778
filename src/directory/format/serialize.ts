// The representation of a resource: format, `_pretty`, and `_summary` or `_elements`. Everything is stored and put together as
// JSON text, which is parsed here only where the representation asks for it.

import type { Request, Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { isLenient, rawQuery, unboundedQuery } from '#directory/middleware/directory-request.ts';
import { type Pair, parseQuery, shownName } from '#directory/middleware/raw-query.ts';
import { formOf } from '#directory/middleware/search-form.ts';
import { parseResultParameters, type ResultParameters } from '#directory/search/result-parameters.ts';
import { hasTooManyParameters } from '#shared/parameter-count.ts';
import { type Format, formatFor } from './content-negotiation.ts';
import { checkSubset, type Subset, subsetted } from './summary-and-elements.ts';
import { writeXml } from './xml/write-xml.ts';

export interface Representation {
  format: Format;
  /** With line breaks and indents. */
  pretty: boolean;
  subset?: Subset;
}

type Wanted = Pick<ResultParameters, 'format' | 'pretty' | 'subset'>;

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The representation that a request asks for.
 * @param type that is asked for: `_elements` names its elements
 * @param included types that may come along, by `_include` and `_revinclude`
 * @throws FhirError 406 for a format, 400 for a subset that cannot be had of the type
 */
export function representationFor(
  type: string,
  accept: string | undefined,
  wanted: Wanted,
  included: ReadonlySet<string> = NOTHING,
): Representation {
  const { pretty = false, subset } = wanted;
  if (subset) checkSubset(type, subset, included);
  return { format: formatFor(accept, wanted.format), pretty, ...(subset && { subset }) };
}

/** Parameters of a request without criteria. */
const OF_READS = new Set(['_format', '_pretty', '_summary', '_elements']);

/** Name of the first parameter in the address that says more than how the answer is to be written. */
export function criterionOf(req: Request): string | undefined {
  return parseQuery(rawQuery(req)).find(([name]) => !OF_READS.has(name))?.[0];
}

/**
 * The representation that a read asks for. A criterion is no part of it: who sends one expects that it is held.
 * @throws FhirError 400, 406
 */
export function representationOfRead(type: string, req: Request): Representation {
  const other = criterionOf(req);
  if (other !== undefined && !isLenient(req))
    throw fhirError(
      400,
      'not-supported',
      `A read takes no ${shownName(other)}: it takes ${[...OF_READS].join(', ')}. To hold a resource against criteria, search with _id.`,
      { parameter: shownName(other) },
    );
  return representationOfDescription(type, req);
}

/**
 * The representation that a request without criteria asks for; what it does not know is left aside.
 * @throws FhirError 400, 406
 */
export function representationOfDescription(type: string, req: Request): Representation {
  const parameters = parseResultParameters(parseQuery(rawQuery(req)).filter(([name]) => OF_READS.has(name)));
  if (parameters.totalOnly)
    throw fhirError(
      400,
      'value',
      '_summary=count counts what a search finds: a read takes true, text, data or false.',
      {
        parameter: '_summary',
      },
    );
  return representationFor(type, req.headers.accept, parameters);
}

/** The representation of an error: as asked for as far as that can be read, JSON otherwise. */
export function errorRepresentation(req: Request, res: Response): Representation {
  const pairs = [...readable(formOf(res)), ...readable(unboundedQuery(req))];
  const value = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1].trim();
  const format = possible(undefined, value('_format')) ?? possible(req.headers.accept, undefined) ?? 'json';
  return { format, pretty: value('_pretty') === 'true' };
}

function readable(raw: string): readonly Pair[] {
  if (hasTooManyParameters(raw)) return [];
  try {
    return parseQuery(raw);
  } catch {
    return [];
  }
}

function possible(accept: string | undefined, format: string | undefined): Format | undefined {
  if (accept === undefined && format === undefined) return undefined;
  try {
    return formatFor(accept, format);
  } catch {
    return undefined;
  }
}

/** A resource, given as JSON text, in its representation. */
export function serialized(json: string, { format, pretty, subset }: Representation): string {
  if (format === 'json' && !pretty && !subset) return json;
  const whole = parsedJson(json);
  const resource = subset ? subsetted(whole, subset) : whole;
  return format === 'xml' ? writeXml(resource, { pretty }) : JSON.stringify(resource, null, pretty ? 2 : undefined);
}

// Parses resources for responses that are not the stored text.

/**
 * Numbers that JavaScript may write otherwise than they came. The directory has hardly any; to look for them saves most of
 * the time of parsing. Found within text, as after a comma, the same signs do no harm.
 */
const UNUSUAL_NUMBER = /(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;

interface RawJson {
  rawJSON(source: string): object;
}
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parsed JSON, in which a number whose written form means something (STU3 decimal: 1.10 is not 1.1) is kept as written:
 * `JSON.stringify` writes it so again.
 */
export function parsedJson(text: string): Record<string, unknown> {
  return JSON.parse(
    text,
    UNUSUAL_NUMBER.test(text) ? (asWritten as (key: string, value: unknown) => unknown) : undefined,
  );
}

const asWritten: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && source !== String(value)
    ? (JSON as unknown as RawJson).rawJSON(source)
    : value;
