// What the registers' files say of one resource, as far as searches ask for it.

import type { Place } from './projections.ts';

export const TYPES = ['Practitioner', 'Organization', 'PractitionerRole'] as const;
export type Type = (typeof TYPES)[number];

export interface Coding {
  system?: string;
  code: string;
  label: string;
}

/** Codes of one thing, or its label alone. */
export type Concept = readonly Coding[];

export interface Contact {
  system: 'phone' | 'fax' | 'email';
  value: string;
  isSecure?: boolean;
}

export interface Address {
  lines: readonly string[];
  postalCode: string;
  city: string;
}

/** A person, a structure or a role; lists that a type lacks are empty. */
export interface Entry {
  type: Type;
  id: string;
  /** By which the type is in alphabetical order; the id settles ties. */
  alphabet: string;
  /** Texts that are names as a whole, each with the words that are neighbours in it. */
  names: readonly string[];
  family: string;
  given: string;
  identifiers: readonly (readonly [system: string, value: string])[];
  addresses: readonly Address[];
  contacts: readonly Contact[];
  /** By search parameter. */
  concepts: Readonly<Record<string, readonly Concept[]>>;
  /** Ids by search parameter. */
  references: Readonly<Record<string, string>>;
  place?: Place;
}

export const nothing = {
  names: [],
  family: '',
  given: '',
  identifiers: [],
  addresses: [],
  contacts: [],
  concepts: {},
  references: {},
};

export interface Edition {
  entries: Readonly<Record<Type, readonly Entry[]>>;
  /** The number of an entry in its list, by its id. */
  numbers: Readonly<Record<Type, ReadonlyMap<string, number>>>;
}

/** Sorts after every name. */
export const NAMELESS = '\u{10ffff}';
