// The search parameters of each type, and how the documentation says that each is matched.

import type { Type } from '../edition/entry.ts';
import type { Joining } from './words.ts';

export type Parameter =
  | { kind: 'words'; joining: Joining; equivalents: boolean; titles: boolean }
  | { kind: 'token' | 'label' | 'id' | 'active' | 'near' }
  | { kind: 'contact'; system?: 'email' | 'phone'; secure?: boolean }
  | { kind: 'reference'; to: Type };

const words = (joining: Joining, equivalents: boolean, titles = false): Parameter => ({
  kind: 'words',
  joining,
  equivalents,
  titles,
});
const ADDRESSES: Readonly<Record<string, Parameter>> = {
  address: words('numbers', true),
  'address-city': words('names', true),
  'address-postalcode': words(undefined, false),
};
const CONTACTS: Readonly<Record<string, Parameter>> = {
  telecom: { kind: 'contact' },
  email: { kind: 'contact', system: 'email' },
  phone: { kind: 'contact', system: 'phone' },
  'mailbox-mss': { kind: 'contact', secure: true },
};
const EVERY: Readonly<Record<string, Parameter>> = { active: { kind: 'active' }, _id: { kind: 'id' } };
const toOrganization: Parameter = { kind: 'reference', to: 'Organization' };

export const PARAMETERS: Readonly<Record<Type, Readonly<Record<string, Parameter>>>> = {
  Practitioner: {
    name: words('names', false, true),
    family: words('names', false),
    given: words('names', false),
    identifier: { kind: 'token' },
    qualification: { kind: 'label' },
    ...ADDRESSES,
    ...CONTACTS,
    ...EVERY,
  },
  Organization: {
    name: words('names', true),
    identifier: { kind: 'token' },
    type: { kind: 'label' },
    partof: toOrganization,
    'part-of': toOrganization,
    near: { kind: 'near' },
    ...ADDRESSES,
    ...CONTACTS,
    ...EVERY,
  },
  PractitionerRole: {
    practitioner: { kind: 'reference', to: 'Practitioner' },
    organization: toOrganization,
    role: { kind: 'label' },
    specialty: { kind: 'label' },
    ...EVERY,
  },
};

/** A part of a name that leads to linked resources. */
export interface Link {
  /** The type of the linked resources. */
  linked: Type;
  reference: string;
  /** True if the reference is that of the linked resources. */
  isReverse: boolean;
}

/** The name of a parameter in its parts. */
export interface Named {
  link?: Link;
  name: string;
  modifier: string;
  parameter: Parameter;
}

/** Understands a name such as `practitioner.name:exact` or `_has:PractitionerRole:organization:specialty`. */
export function named(type: Type, text: string): Named {
  const [, from, reference = '', rest = ''] = /^_has:(\w+):([\w-]+):(.*)$/.exec(text) ?? [];
  if (from !== undefined) {
    const linked = from as Type;
    return { link: { linked, reference: referenceName(reference), isReverse: true }, ...ended(linked, rest) };
  }
  const [, forward = '', end] = /^([\w-]+)(?::[A-Z]\w+)?\.(.*)$/.exec(text) ?? [];
  const parameter = PARAMETERS[type][forward];
  if (end === undefined || parameter?.kind !== 'reference') return ended(type, text);
  const link = { linked: parameter.to, reference: referenceName(forward), isReverse: false };
  return { link, ...ended(parameter.to, end) };
}

function ended(type: Type, text: string): Omit<Named, 'link'> {
  const [name = '', modifier = ''] = text.split(':');
  const parameter = PARAMETERS[type][name];
  if (!parameter) throw new Error(`${type} has no parameter ${text}`);
  return { name, modifier, parameter };
}

/** The name of a reference in an entry. */
export const referenceName = (name: string) => (name === 'part-of' ? 'partof' : name);
