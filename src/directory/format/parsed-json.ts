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
