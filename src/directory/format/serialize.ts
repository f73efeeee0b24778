// Writes a resource in the representation that a request asks for: format, `_pretty`, and `_summary` or `_elements`. Resources are stored
// as JSON text, which is parsed only if the representation needs it.

import { type Format, formatFor } from './content-negotiation.ts';
import { checkSubset, type Subset, subsetted } from './summary-and-elements.ts';
import { writeXml } from './xml/write-xml.ts';

export interface Representation {
  format: Format;
  /** True for text with line breaks and indents. */
  pretty: boolean;
  subset?: Subset;
}

/** The representation that a request asks for. */
export interface WantedRepresentation {
  /** `_format` as sent. */
  format?: string;
  pretty?: boolean;
  /** The wanted part of each resource; undefined for the whole resource. */
  subset?: Subset;
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The representation that a request asks for.
 * @param type the type of the request, whose elements `_elements` names
 * @param included other types in the response, by `_include` and `_revinclude`
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

/** Checks whether a representation is the JSON text as it is stored. */
export function isStoredForm({ format, pretty, subset }: Representation): boolean {
  return format === 'json' && !pretty && !subset;
}

/** A resource, given as JSON text, in its representation. */
export function serialized(json: string, representation: Representation): string {
  if (isStoredForm(representation)) return json;
  const { format, pretty, subset } = representation;
  const whole = parsedJson(json);
  const resource = subset ? subsetted(whole, subset) : whole;
  return format === 'xml' ? writeXml(resource, { pretty }) : JSON.stringify(resource, null, pretty ? 2 : undefined);
}

/**
 * Numbers that JavaScript may write in another form than they had. The directory has hardly any, and the test saves most of the time of
 * parsing. A match within a text does no harm.
 */
const UNUSUAL_NUMBER = /(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;

interface RawJson {
  rawJSON(source: string): object;
}
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses JSON so that numbers keep their written form, which means something (STU3 decimal: 1.10 is not 1.1): `JSON.stringify` writes them
 * in that form again.
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
