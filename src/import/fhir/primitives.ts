// The form of the primitive types of STU3 (http://hl7.org/fhir/STU3/datatypes.html), and the codes of required bindings.

const DATE = String.raw`\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?`;
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?`;
const ZONE = String.raw`(Z|[+-](0\d|1[0-4]):[0-5]\d)`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: FHIR allows none but tab, line feed and carriage return
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

const TEXTS: Readonly<Record<string, RegExp>> = {
  string: /\S/,
  markdown: /\S/,
  uri: /^\S+$/,
  oid: /^urn:oid:[0-2](\.(0|[1-9]\d*))+$/,
  id: /^[A-Za-z0-9.-]{1,64}$/,
  code: /^\S+( \S+)*$/,
  base64Binary: /^[\s0-9A-Za-z+/=]+$/,
  date: new RegExp(`^${DATE}$`),
  dateTime: new RegExp(String.raw`^(${DATE}|\d{4}-\d\d-\d\dT${TIME}${ZONE})$`),
  instant: new RegExp(String.raw`^\d{4}-\d\d-\d\dT${TIME}${ZONE}$`),
  time: new RegExp(`^${TIME}$`),
};

/** Whether a JSON value is of the primitive type. */
export function isOfType(value: unknown, type: string): boolean {
  const text = TEXTS[type];
  if (text) return typeof value === 'string' && text.test(value) && !CONTROL.test(value);
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'decimal') return typeof value === 'number';
  const least = type === 'positiveInt' ? 1 : type === 'unsignedInt' ? 0 : -2147483648;
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= 2147483647;
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

/** The codes that an element of the type may have; undefined for any. */
export function bindingOf(type: string, element: string): RegExp | undefined {
  return BINDINGS[type]?.[element];
}
