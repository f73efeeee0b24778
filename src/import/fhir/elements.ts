// The elements of STU3 that the directory takes, as tables for the check of resources.

import type { ResourceType } from '../../search-index/index.ts';

/** Name of a primitive, or of a type of the table below; `[]` behind it: it repeats; `!`: it is required. */
type ElementType = `${string}` | `${string}[]` | `${string}!`;

/** Elements of a type; `Extension` is checked apart, because of its value[x]. */
export type Elements = Readonly<Record<string, ElementType>>;

/** http://hl7.org/fhir/STU3/practitioner.html, organization.html, practitionerrole.html; without `contained`. */
export const RESOURCES: Readonly<Record<ResourceType, Elements>> = {
  Practitioner: {
    identifier: 'Identifier[]',
    active: 'boolean',
    name: 'HumanName[]',
    telecom: 'ContactPoint[]',
    address: 'Address[]',
    gender: 'gender',
    birthDate: 'date',
    photo: 'Attachment[]',
    qualification: 'Qualification[]',
    communication: 'CodeableConcept[]',
  },
  Organization: {
    identifier: 'Identifier[]',
    active: 'boolean',
    type: 'CodeableConcept[]',
    name: 'string',
    alias: 'string[]',
    telecom: 'ContactPoint[]',
    address: 'Address[]',
    partOf: 'Reference',
    contact: 'OrganizationContact[]',
    endpoint: 'Reference[]',
  },
  PractitionerRole: {
    identifier: 'Identifier[]',
    active: 'boolean',
    period: 'Period',
    practitioner: 'Reference',
    organization: 'Reference',
    code: 'CodeableConcept[]',
    specialty: 'CodeableConcept[]',
    location: 'Reference[]',
    healthcareService: 'Reference[]',
    telecom: 'ContactPoint[]',
    availableTime: 'AvailableTime[]',
    notAvailable: 'NotAvailable[]',
    availabilityExceptions: 'string',
    endpoint: 'Reference[]',
  },
};

/** http://hl7.org/fhir/STU3/datatypes.html, and the parts of the resources above. */
export const TYPES: Readonly<Record<string, Elements>> = {
  Qualification: { identifier: 'Identifier[]', code: 'CodeableConcept!', period: 'Period', issuer: 'Reference' },
  OrganizationContact: {
    purpose: 'CodeableConcept',
    name: 'HumanName',
    telecom: 'ContactPoint[]',
    address: 'Address',
  },
  AvailableTime: {
    daysOfWeek: 'day[]',
    allDay: 'boolean',
    availableStartTime: 'time',
    availableEndTime: 'time',
  },
  NotAvailable: { description: 'string!', during: 'Period' },
  Identifier: {
    use: 'identifierUse',
    type: 'CodeableConcept',
    system: 'uri',
    value: 'string',
    period: 'Period',
    assigner: 'Reference',
  },
  HumanName: {
    use: 'nameUse',
    text: 'string',
    family: 'string',
    given: 'string[]',
    prefix: 'string[]',
    suffix: 'string[]',
    period: 'Period',
  },
  ContactPoint: {
    system: 'contactSystem',
    value: 'string',
    use: 'contactUse',
    rank: 'positiveInt',
    period: 'Period',
  },
  Address: {
    use: 'addressUse',
    type: 'addressType',
    text: 'string',
    line: 'string[]',
    city: 'string',
    district: 'string',
    state: 'string',
    postalCode: 'string',
    country: 'string',
    period: 'Period',
  },
  CodeableConcept: { coding: 'Coding[]', text: 'string' },
  Coding: { system: 'uri', version: 'string', code: 'code', display: 'string', userSelected: 'boolean' },
  Period: { start: 'dateTime', end: 'dateTime' },
  Reference: { reference: 'string', identifier: 'Identifier', display: 'string' },
  Attachment: {
    contentType: 'code',
    language: 'code',
    data: 'base64Binary',
    url: 'uri',
    size: 'unsignedInt',
    hash: 'base64Binary',
    title: 'string',
    creation: 'dateTime',
  },
};

const DATE = String.raw`\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?`;
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?`;
const ZONE = String.raw`(Z|[+-](0\d|1[0-4]):[0-5]\d)`;
const oneOf = (...codes: string[]) => new RegExp(`^(${codes.join('|')})$`);

/** Text primitives by form; codes with a required binding by their values. */
export const TEXTS: Readonly<Record<string, RegExp>> = {
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
  gender: oneOf('male', 'female', 'other', 'unknown'),
  day: oneOf('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'),
  identifierUse: oneOf('usual', 'official', 'temp', 'secondary'),
  nameUse: oneOf('usual', 'official', 'temp', 'nickname', 'anonymous', 'old', 'maiden'),
  contactSystem: oneOf('phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'),
  contactUse: oneOf('home', 'work', 'temp', 'old', 'mobile'),
  addressUse: oneOf('home', 'work', 'temp', 'old'),
  addressType: oneOf('postal', 'physical', 'both'),
};

/** Other primitives. */
export const OTHERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => isInteger(value, -2147483648),
  unsignedInt: (value) => isInteger(value, 0),
  positiveInt: (value) => isInteger(value, 1),
  decimal: (value) => typeof value === 'number',
};

function isInteger(value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= 2147483647;
}

/** Types of an extension's value[x] that the directory takes. */
export const EXTENSION_VALUES: readonly string[] = [
  ...['boolean', 'integer', 'decimal', 'unsignedInt', 'positiveInt'],
  ...['string', 'markdown', 'uri', 'oid', 'id', 'code', 'base64Binary', 'date', 'dateTime', 'instant', 'time'],
  ...['Identifier', 'HumanName', 'ContactPoint', 'Address', 'CodeableConcept', 'Coding', 'Period', 'Reference'],
  'Attachment',
];
