// The shape of a parameter table, and the parameters that several resource types share.

import { type OrderBy, type ResourceType, SECURE_MAIL } from '#search-index/index.ts';

/** Prefixes of dates (STU3 search 3.1.1.4.7), for the parser, messages and documentation. */
export const DATE_PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const;

/** Distance in kilometres of a value of `near` that states none. */
export const NEAR_DISTANCE_KM = 10;

/** The form of a circle, for messages and documentation. */
export const NEAR_FORM = `latitude|longitude|distance|unit such as 45.7640|4.8357|5|km (unit km or m; without a distance ${NEAR_DISTANCE_KM} km)`;

/** The form of a date, for messages and documentation. */
export const DATE_FORM =
  'a date such as 2026, 2026-11, 2026-11-21, 2026-11-21T08:30Z or 2026-11-21T08:30:00.000+01:00 (+ written %2B)';

/** Codes of http://hl7.org/fhir/STU3/valueset-search-modifier-code.html that any parameter takes. */
type Modifier = 'exact' | 'missing' | 'not' | 'text' | 'type';

interface Described {
  /** The name in the query. */
  name: string;
  /** Indexed field of the snapshot. */
  field: string;
  /** STU3 search parameter type, for the CapabilityStatement. */
  type: 'string' | 'token' | 'reference' | 'date' | 'uri';
  /** Canonical address of the SearchParameter; undefined for the directory's own ones. */
  definition?: string;
  /** The matching rule in words, for the CapabilityStatement. */
  documentation: string;
  /** Modifiers that the parameter accepts, with STU3's meaning. */
  modifiers?: readonly Modifier[];
}

/**
 * A search parameter with its matching rule: `words` matches the beginnings of words, all words of one value within one item of the field;
 * `token` matches exactly, with or without system; `labelled` does the same or matches the exact label; `contact` matches the exact address
 * in any case, or the number in any spelling; `boolean` matches true or false; `id` the exact id; `uri` the exact address; `reference` the exact reference to `target`;
 * `instant` ranges of time; `near` circles on the earth.
 */
export type Parameter = Described &
  (
    | {
        matching: 'words';
        minimum: number;
        equivalents: boolean;
        /** True if titles before the words are left out. */
        titles?: boolean;
      }
    | { matching: 'token' | 'labelled' | 'boolean' | 'id' | 'uri' }
    | {
        matching: 'contact';
        /** The system of the contacts that are searched; absent for any. */
        contact?: 'email' | 'phone' | typeof SECURE_MAIL;
      }
    | { matching: 'instant' }
    | { matching: 'near' }
    | {
        matching: 'reference';
        target: ResourceType;
        /** The element of the resource that holds the reference. */
        element: string;
      }
  );

/** An ascending order of a type. A `-` before each name reverses it. */
type Sort = OrderBy & {
  /** The parameters that the value of `_sort` names, in their order. */
  names: readonly string[];
};

export interface ParameterTable {
  type: ResourceType;
  /** Permissions (OAuth scopes) that reading and searching need, every one of them. */
  scopes: readonly string[];
  documentation: string;
  parameters: readonly Parameter[];
  /** Orders that `_sort` accepts. */
  sorts?: readonly Sort[];
}

const DEFINITIONS = 'http://hl7.org/fhir/SearchParameter';

/** Canonical address of one of HL7's search parameters. */
export function definedBy(id: string): string {
  return `${DEFINITIONS}/${id}`;
}

/** The order of a field by which the index can sort. It has the name of its parameter. */
export function fieldSort(field: string): Sort {
  return { names: [field], by: 'field', field };
}

/** The orders that every type has. */
export const SORTS_OF_EVERY_TYPE: readonly Sort[] = [{ names: ['_lastUpdated'], by: 'updated' }];

type Own<M extends Parameter['matching']> = Partial<Omit<Extract<Parameter, { matching: M }>, 'name'>> & {
  documentation: string;
};

/** A string parameter, matched by words. `definition` is the id of HL7's SearchParameter. */
export function stringParameter(name: string, definition: string, own: Own<'words'>): Parameter {
  const { type, matching, modifiers } = { type: 'string', matching: 'words', modifiers: ['exact', 'missing'] } as const;
  const rule = { type, matching, modifiers, minimum: 1, equivalents: false, definition: definedBy(definition) };
  return { name, field: name, ...rule, ...own };
}

/** A token parameter, matched exactly unless `own` says otherwise. */
export function tokenParameter(
  name: string,
  definition: string | undefined,
  own: Own<'token' | 'labelled' | 'boolean' | 'id' | 'uri'>,
): Parameter {
  const rule = { type: 'token', matching: 'token', modifiers: OF_TOKENS } as const;
  return { name, field: name, ...rule, ...(definition !== undefined && { definition: definedBy(definition) }), ...own };
}

/** A token parameter that matches codes and labels. */
export function labelledParameter(name: string, definition: string | undefined): Parameter {
  const rule = { matching: 'labelled', modifiers: ['not', 'text', 'missing'] } as const;
  return tokenParameter(name, definition, { ...rule, documentation: LABEL_RULE });
}

/**
 * The parameters of contacts: any of them, those of one system, and secure mailboxes by the name of the national directory.
 * @param defined whether HL7 has definitions for the type
 */
export function contactParameters(defined: boolean, telecom: string): readonly Parameter[] {
  const token = { field: 'telecom', type: 'token', matching: 'contact', modifiers: OF_TOKENS } as const;
  const hl7 = (name: string) => ({ name, ...(defined && { definition: definedBy(`individual-${name}`) }) });
  const email = 'The exact mail address, case aside.';
  const mailbox =
    'The exact address of a secure mailbox (MSSanté), case aside. The name is that of the national directory API.';
  return [
    { ...token, ...hl7('telecom'), documentation: `${telecom} ${CONTACT_RULE}` },
    { ...token, ...hl7('email'), contact: 'email', documentation: email },
    { ...token, ...hl7('phone'), contact: 'phone', documentation: NUMBER_RULE },
    {
      ...{ ...token, name: 'mailbox-mss', type: 'string', modifiers: ['exact', 'missing'] },
      ...{ contact: SECURE_MAIL, documentation: mailbox },
    },
  ];
}

/** A reference parameter. It has the name of the element that holds the reference. */
export function referenceParameter(
  name: string,
  definition: string | undefined,
  own: Own<'reference'> & { target: ResourceType },
): Parameter {
  const rule = { type: 'reference', matching: 'reference', modifiers: ['type', 'missing'], element: name } as const;
  return { name, field: name, ...rule, ...(definition !== undefined && { definition: definedBy(definition) }), ...own };
}

const OF_TOKENS: readonly Modifier[] = ['not', 'missing'];

const WORDS = 'Every word of the value begins a word';
const FOLDED = 'accents, case, oe/ae, apostrophes and hyphens never matter.';

const TOGETHER =
  'Neighbouring words find what they make together as a whole word, and the other way round (le gall and legall, jean pierre and jeanpierre).';

export const NAME_RULE = `At least 2 characters that are letters or digits. ${WORDS} of the name; ${FOLDED} ${TOGETHER}`;
const ADDRESS_RULE = `${WORDS} of one and the same address; ${FOLDED} Usual abbreviations (bd, av, st) find what they stand for, and the other way round; so do 12 bis, 12b and 12 B, 3eme and 3e.`;
const LABEL_RULE =
  'Exact value only: code, system|code, |code, system|, or the whole label (case and accents aside), or what people say for it (cardiologue, infirmière, kiné).';
const NUMBER_RULE =
  'The exact telephone number: blanks and dots do not matter, and +33 1 23 45 67 89 is the same as 01 23 45 67 89 (+ written %2B).';
const CONTACT_RULE =
  'Exact value only, case aside: value, system|value or system|, with a system such as email, phone or fax. Numbers in any spelling.';
export const IDENTIFIER_RULE =
  'Exact value only: value, system|value, |value (without a system) or system|. Systems of this service may be written with http or https.';

export const ID = tokenParameter('_id', 'Resource-id', {
  field: 'id',
  matching: 'id',
  documentation: 'The exact logical id.',
});

const LAST_UPDATED: Parameter = {
  name: '_lastUpdated',
  field: '_lastUpdated',
  type: 'date',
  matching: 'instant',
  modifiers: ['missing'],
  definition: definedBy('Resource-lastUpdated'),
  documentation: `When the edition was loaded in which the entry was new or changed: ${DATE_FORM}, UTC without a time zone; before it one of ${DATE_PREFIXES.join(', ')}. ap means one year, month, day, minute or second more on either side.`,
};

/** The whole address. HL7 has a definition for each type. */
export function addressParameter(definition: string): Parameter {
  return stringParameter('address', definition, { equivalents: true, documentation: ADDRESS_RULE });
}

/** Parts of an address, and whether the entry is active. HL7 has definitions for each type. */
export function sharedParameters(addressDefinition: string, activeDefinition: string): readonly Parameter[] {
  return [
    stringParameter('address-city', `${addressDefinition}-city`, {
      equivalents: true,
      documentation: `${WORDS} of the town; ${FOLDED}`,
    }),
    stringParameter('address-postalcode', `${addressDefinition}-postalcode`, {
      documentation: 'The beginning of the postal code.',
    }),
    ...everyTypesParameters(activeDefinition),
  ];
}

/** The parameters of every type: whether the entry is active, its id, and the time of its last change. */
export function everyTypesParameters(activeDefinition: string): readonly Parameter[] {
  const active = tokenParameter('active', activeDefinition, { matching: 'boolean', documentation: 'true or false.' });
  return [active, ID, LAST_UPDATED];
}
