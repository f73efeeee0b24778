// Writes a resource in the representation that a request asks for: its format, `_pretty`, and `_summary` or `_elements`. The index stores
// resources as JSON text. The text is parsed only if another representation is asked for.

import { type Format, formatFor } from './content-negotiation.ts';
import { checkSubset, type Subset, subsetted } from './summary-and-elements.ts';
import { writeXml } from './xml/write-xml.ts';

export interface Representation {
  format: Format;
  /** True if the text has line breaks and indentation. */
  pretty: boolean;
  subset?: Subset;
}

/** The representation that a request asks for, before `representationFor` checks it. */
export interface WantedRepresentation {
  /** The value of `_format` as the client sent it. */
  format?: string;
  pretty?: boolean;
  /** The part of each resource that the client asks for. Absent if it asks for whole resources. */
  subset?: Subset;
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Chooses the representation for a request.
 * @param type the type that the request asks for. Names in `_elements` mean elements of this type.
 * @param included other types in the response, which `_include` and `_revinclude` add
 * @throws FhirError 406 for a format that is not offered, and 400 if `_summary` or `_elements` cannot be applied to the type
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

/** Checks whether a resource in this representation is the same text that the index stores. */
export function isStoredForm({ format, pretty, subset }: Representation): boolean {
  return format === 'json' && !pretty && !subset;
}

/** Writes a resource in the given representation. `json` is the resource as the index stores it. */
export function serialized(json: string, representation: Representation): string {
  if (isStoredForm(representation)) return json;
  const { format, pretty, subset } = representation;
  const whole = parsedJson(json);
  const resource = subset ? subsetted(whole, subset) : whole;
  return format === 'xml' ? writeXml(resource, { pretty }) : JSON.stringify(resource, null, pretty ? 2 : undefined);
}

/**
 * Matches numbers that JavaScript might write in another form. The directory has hardly any. A text without a match is parsed by plain
 * `JSON.parse`, which is much faster. A match inside a string does no harm.
 */
const UNUSUAL_NUMBER = /(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;

interface RawJson {
  rawJSON(source: string): object;
}
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses JSON so that `JSON.stringify` later writes each number in the same form. The form of a decimal has a meaning in STU3: 1.10 is not
 * the same as 1.1.
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
