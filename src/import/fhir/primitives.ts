// Forms of the primitive types of STU3 (http://hl7.org/fhir/STU3/datatypes.html), and the codes that elements with a required binding may
// have.

import { isInvisible, withoutInvisible } from '#search-index/index.ts';

const YEAR = String.raw`(?!0000)\d{4}`;
const MONTH = '(0[1-9]|1[0-2])';
const DAY = String.raw`(0[1-9]|[12]\d|3[01])`;
const DATE = `${YEAR}(-${MONTH}(-${DAY})?)?`;
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?`;
const ZONE = String.raw`(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00))`;
const INSTANT = `${YEAR}-${MONTH}-${DAY}T${TIME}${ZONE}`;
const CALENDAR: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant']);

const TEXTS: Readonly<Record<string, RegExp>> = {
  string: /\S/,
  markdown: /\S/,
  uri: /^(?!urn:(oid|uuid):)\S+$|^urn:oid:[0-2](\.(0|[1-9]\d*))+$|^urn:uuid:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  oid: /^urn:oid:[0-2](\.(0|[1-9]\d*))+$/,
  id: /^[A-Za-z0-9.-]{1,64}$/,
  code: /^\S+( \S+)*$/,
  base64Binary: /^[\s0-9A-Za-z+/=]+$/,
  date: new RegExp(`^${DATE}$`),
  dateTime: new RegExp(`^(${DATE}|${INSTANT})$`),
  instant: new RegExp(`^${INSTANT}$`),
  time: new RegExp(`^${TIME}$`),
};

/**
 * Describes why a JSON value is not of the primitive type. The description is written to follow the path of the value. Undefined if the
 * value is of the type.
 */
export function typeIssueOf(value: unknown, type: string): string | undefined {
  const form = TEXTS[type];
  if (form === undefined) return isNumberOrBoolean(value, type) ? undefined : ` is not of type ${type}`;
  if (typeof value !== 'string') return ` is not of type ${type}`;
  const characters = characterIssue(value, type);
  if (characters !== undefined) return ` holds ${characters}`;
  if (!form.test(value)) return ` is not of type ${type}`;
  return CALENDAR.has(type) && !isDay(value.slice(0, 10)) ? ` is not of type ${type}: there is no such day` : undefined;
}

export function isOfType(value: unknown, type: string): boolean {
  return typeIssueOf(value, type) === undefined;
}

/** The least value of the types that allow no negative integers. */
const LEAST: Readonly<Record<string, number>> = { unsignedInt: 0, positiveInt: 1 };

function isNumberOrBoolean(value: unknown, type: string): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'decimal') return typeof value === 'number';
  const least = LEAST[type] ?? -2147483648;
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= 2147483647;
}

/** Tells whether a date exists in the calendar. A date without a day always exists. */
function isDay(date: string): boolean {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/**
 * Types for texts that people read. Only these texts may contain invisible characters. In a text of any other type, an invisible character
 * would make a different value that looks the same.
 */
const READ: ReadonlySet<string> = new Set(['string', 'markdown']);
const PERHAPS_FOREIGN = /[^ -~\u00a0-\u00ac\u00ae-\u02ff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: FHIR allows none but tab, line feed and carriage return
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const NO_CHARACTER = /\p{Noncharacter_Code_Point}/u;

/**
 * Names the characters in a text that the type does not allow, for example because XML cannot contain them. Undefined if there are none.
 */
function characterIssue(text: string, type: string): string | undefined {
  if (!PERHAPS_FOREIGN.test(text)) return undefined;
  if (CONTROL.test(text)) return 'control characters';
  if (!text.isWellFormed()) return 'half a character (a lone surrogate)';
  if (NO_CHARACTER.test(text)) return 'a code point that Unicode keeps free of characters';
  if (READ.has(type) ? isInvisible(text) : withoutInvisible(text) !== text) return 'characters that nobody sees';
  return undefined;
}

const oneOf = (...codes: string[]) => new RegExp(`^(${codes.join('|')})$`);

const BINDINGS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  Practitioner: { gender: oneOf('male', 'female', 'other', 'unknown') },
  'PractitionerRole.availableTime': { daysOfWeek: oneOf('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun') },
  Identifier: { use: oneOf('usual', 'official', 'temp', 'secondary') },
  HumanName: { use: oneOf('usual', 'official', 'temp', 'nickname', 'anonymous', 'old', 'maiden') },
  ContactPoint: {
    system: oneOf('phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'),
    use: oneOf('home', 'work', 'temp', 'old', 'mobile'),
  },
  Address: { use: oneOf('home', 'work', 'temp', 'old'), type: oneOf('postal', 'physical', 'both') },
};

/** Returns a pattern of the codes that an element of the type may have. Undefined if the element may have any code. */
export function bindingOf(type: string, element: string): RegExp | undefined {
  return BINDINGS[type]?.[element];
}
