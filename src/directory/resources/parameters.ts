// The type of a parameter table, and the parameters that several resource types share.

import { type OrderBy, type ResourceType, SECURE_MAIL } from '#search-index/index.ts';

/** The prefixes that a date may have (STU3 search 3.1.1.4.7). The parser, messages and documentation read this list. */
export const DATE_PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const;

/** The distance in kilometres that a value of `near` has if the client writes none. */
export const NEAR_DISTANCE_KM = 10;

/** Describes how clients write a circle. Messages and documentation show this text. */
export const NEAR_FORM = `latitude|longitude|distance|unit such as 45.7640|4.8357|5|km (unit km or m; without a distance ${NEAR_DISTANCE_KM} km)`;

/** Describes how clients write a date. Messages and documentation show this text. */
export const DATE_FORM =
  'a date such as 2026, 2026-11, 2026-11-21, 2026-11-21T08:30Z or 2026-11-21T08:30:00.000+01:00 (+ written %2B)';

/** The modifiers of STU3 (http://hl7.org/fhir/STU3/valueset-search-modifier-code.html) that parameters of this directory can have. */
type Modifier = 'exact' | 'missing' | 'not' | 'text' | 'type';

interface Described {
  /** The name of the parameter, as clients write it in a query. */
  name: string;
  /** The field of the index that the parameter searches. */
  field: string;
  /** The type of the search parameter in STU3, for the CapabilityStatement. */
  type: 'string' | 'token' | 'reference' | 'date' | 'uri';
  /** Canonical address of the SearchParameter; undefined for the directory's own parameters. */
  definition?: string;
  /** The matching rule in words, for the CapabilityStatement. */
  documentation: string;
  /** Modifiers that the parameter accepts, with the meaning that STU3 gives them. */
  modifiers?: readonly Modifier[];
}

/**
 * A search parameter with its matching rule. A resource matches
 * - by `words` if one item of the field, such as one of several names, has for each word of the value a word that begins with it;
 * - by `token` if the code is equal, with or without its system; by `labelled` also if the whole label is equal;
 * - by `contact` if the address is equal except for its case, or the number is equal in any spelling;
 * - by `boolean`, `id` and `uri` if the value is equal; by `reference` if the reference to `target` is equal;
 * - by `instant` if its time lies in a range; by `near` if its position lies in a circle on the earth.
 */
export type Parameter = Described &
  (
    | {
        matching: 'words';
        minimum: number;
        equivalents: boolean;
        /** True if a title such as "Dr" at the beginning of the value is ignored. */
        titles?: boolean;
      }
    | { matching: 'token' | 'labelled' | 'boolean' | 'id' | 'uri' }
    | {
        matching: 'contact';
        /** The parameter searches only contacts of this system; contacts of all systems if absent. */
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

/**
 * An ascending order in which a search can list its matches. If the client writes `-` before each name in `_sort`, the order is reversed.
 */
type Sort = OrderBy & {
  /** The names of parameters that a client writes as the value of `_sort`, in this sequence. */
  names: readonly string[];
};

export interface ParameterTable {
  type: ResourceType;
  /** The OAuth scopes that reading and searching need. A token must have all of them. */
  scopes: readonly string[];
  documentation: string;
  parameters: readonly Parameter[];
  /** The orders that `_sort` accepts. */
  sorts?: readonly Sort[];
}

const DEFINITIONS = 'http://hl7.org/fhir/SearchParameter';

/** The canonical address of one of HL7's search parameters. */
export function definedBy(id: string): string {
  return `${DEFINITIONS}/${id}`;
}

/** Makes the order by a field of the index. In `_sort`, clients write the name of the field, which is also the name of a parameter. */
export function fieldSort(field: string): Sort {
  return { names: [field], by: 'field', field };
}

/** The orders that every type has. */
export const SORTS_OF_EVERY_TYPE: readonly Sort[] = [{ names: ['_lastUpdated'], by: 'updated' }];

type Own<M extends Parameter['matching']> = Partial<Omit<Extract<Parameter, { matching: M }>, 'name'>> & {
  documentation: string;
};

/** Makes a string parameter, which is matched by words. `definition` is the id of HL7's SearchParameter. */
export function stringParameter(name: string, definition: string, own: Own<'words'>): Parameter {
  const { type, matching, modifiers } = { type: 'string', matching: 'words', modifiers: ['exact', 'missing'] } as const;
  const rule = { type, matching, modifiers, minimum: 1, equivalents: false, definition: definedBy(definition) };
  return { name, field: name, ...rule, ...own };
}

/** Makes a token parameter. It matches codes exactly, unless `own` gives another matching rule. */
export function tokenParameter(
  name: string,
  definition: string | undefined,
  own: Own<'token' | 'labelled' | 'boolean' | 'id' | 'uri'>,
): Parameter {
  const rule = { type: 'token', matching: 'token', modifiers: OF_TOKENS } as const;
  return { name, field: name, ...rule, ...(definition !== undefined && { definition: definedBy(definition) }), ...own };
}

/** Makes a token parameter that matches codes and labels. */
export function labelledParameter(name: string, definition: string | undefined): Parameter {
  const rule = { matching: 'labelled', modifiers: ['not', 'text', 'missing'] } as const;
  return tokenParameter(name, definition, { ...rule, documentation: LABEL_RULE });
}

/**
 * Makes the parameters of contacts: one for all contacts, one each for mail addresses and telephone numbers, and one for secure mailboxes.
 * The last one has the name that the national directory uses.
 * @param defined true if HL7 defines these parameters for the type
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
      ...token,
      name: 'mailbox-mss',
      type: 'string',
      modifiers: ['exact', 'missing'],
      contact: SECURE_MAIL,
      documentation: mailbox,
    },
  ];
}

/** Makes a reference parameter. Its name is that of the element that holds the reference. */
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
  documentation: `Time of the import in which the entry appeared or changed: ${DATE_FORM}, in UTC if it has no time zone, with or without one of the prefixes ${DATE_PREFIXES.join(', ')}. ap adds one year, month, day, minute or second on either side.`,
};

/** Makes the parameter that searches whole addresses. `definition` is the id of HL7's SearchParameter, which differs from type to type. */
export function addressParameter(definition: string): Parameter {
  return stringParameter('address', definition, { equivalents: true, documentation: ADDRESS_RULE });
}

/**
 * Makes the parameters that search the town or the postal code of an address, and those that every type has. The ids of HL7's
 * SearchParameters are arguments, because they differ from type to type.
 */
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

/** Makes the parameters that every type has: `active`, `_id` and `_lastUpdated`. */
export function everyTypesParameters(activeDefinition: string): readonly Parameter[] {
  const active = tokenParameter('active', activeDefinition, { matching: 'boolean', documentation: 'true or false.' });
  return [active, ID, LAST_UPDATED];
}
