// Checks a single value against its primitive type: the regular expressions of HL7's own definitions, matched whole, and
// what STU3 states about them in words.

import { structureDefinition } from './definitions.ts';

const NUMBERS = new Set(['decimal', 'integer', 'unsignedInt', 'positiveInt']);
const DATES = new Set(['date', 'dateTime', 'instant']);
const REGEX = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-regex';
// STU3 datatypes: no character below U+0020 but tab, line feed and carriage return.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const OID = /^urn:oid:[0-2](\.(0|[1-9]\d*))+$/;
const UUID = /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BASE64 = /^(\s*([0-9a-zA-Z+/=]){4}\s*)+$/;

const patterns = new Map<string, RegExp | undefined>();

function patternOf(type: string): RegExp | undefined {
  if (!patterns.has(type)) {
    const value = structureDefinition(type)?.snapshot.element.find(({ id }) => id === `${type}.value`);
    const source = value?.type?.[0]?.extension?.find(({ url }) => url === REGEX)?.valueString;
    patterns.set(type, source === undefined ? undefined : new RegExp(`^(?:${source})$`, 'u'));
  }
  return patterns.get(type);
}

/** What is wrong with a value of this primitive type, or undefined. */
export function primitiveError(type: string, value: unknown): string | undefined {
  const wanted = type === 'boolean' ? 'boolean' : NUMBERS.has(type) ? 'number' : 'string';
  if (typeof value !== wanted) return `a ${type} is a ${wanted}, not ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return undefined;
  const text = String(value);
  if (text === '') return `an empty ${type}`;
  if (patternOf(type)?.test(text) === false) return `no ${type}: ${JSON.stringify(text)}`;
  if (typeof value === 'number')
    return type !== 'decimal' && Math.abs(value) > 2 ** 31 ? `beyond 32 bits: ${text}` : undefined;
  if (CONTROL.test(text)) return `a control character in ${JSON.stringify(text)}`;
  if (!text.isWellFormed()) return `a lone surrogate in ${JSON.stringify(text)}`;
  if (text.trim() === '') return `nothing but blanks in a ${type}`;
  if (type === 'uri') return uriError(text);
  if (type === 'base64Binary') return BASE64.test(text) ? undefined : 'no base64';
  return DATES.has(type) ? dayError(text) : undefined;
}

function uriError(text: string): string | undefined {
  if (/\s/.test(text)) return `a blank in the uri ${JSON.stringify(text)}`;
  if (text.startsWith('urn:oid:') && !OID.test(text)) return `no OID: ${text}`;
  if (text.startsWith('urn:uuid:') && !UUID.test(text)) return `no UUID: ${text}`;
  return undefined;
}

/** The day exists in its month (HL7's expressions let 31 February pass). */
function dayError(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() + 1 === Number(month)
    ? undefined
    : `no such day: ${text}`;
}
