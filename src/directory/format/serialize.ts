// The representation of a resource: format, `_pretty`, and `_summary` or `_elements`. Everything is stored and put together as
// JSON text, which is parsed here only where the representation asks for it.

import { type Format, formatFor } from './content-negotiation.ts';
import { checkSubset, type Subset, subsetted } from './summary-and-elements.ts';
import { writeXml } from './xml/write-xml.ts';

export interface Representation {
  format: Format;
  /** With line breaks and indents. */
  pretty: boolean;
  subset?: Subset;
}

/** What a request asks for. */
export interface WantedRepresentation {
  /** `_format` as sent. */
  format?: string;
  pretty?: boolean;
  /** What is wanted of each resource; the whole one without it. */
  subset?: Subset;
}

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
  wanted: WantedRepresentation,
  included: ReadonlySet<string> = NOTHING,
): Representation {
  const { pretty = false, subset } = wanted;
  if (subset) checkSubset(type, subset, included);
  return { format: formatFor(accept, wanted.format), pretty, ...(subset && { subset }) };
}

/** A resource, given as JSON text, in its representation. */
export function serialized(json: string, { format, pretty, subset }: Representation): string {
  if (format === 'json' && !pretty && !subset) return json;
  const whole = parsedJson(json);
  const resource = subset ? subsetted(whole, subset) : whole;
  return format === 'xml' ? writeXml(resource, { pretty }) : JSON.stringify(resource, null, pretty ? 2 : undefined);
}

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
