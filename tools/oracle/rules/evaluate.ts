// Answers a search by reading every entry: the criteria one by one, chains by the references of the entries, AND at the end.

import type { Concept, Contact, Edition, Entry, Type } from '../edition/entry.ts';
import { metresApart, type Place } from '../edition/projections.ts';
import { nationalNumber } from '../edition/structures.ts';
import { isToken, type Labels, parted } from './labels.ts';
import { type Link, type Named, named, referenceName } from './parameters.ts';
import { createWordFields } from './word-fields.ts';
import { wantedWords } from './words.ts';

/** Names and values of a search, without those of the result. */
export type Criteria = readonly (readonly [name: string, value: string])[];

export interface Circle {
  centre: Place;
  metres: number;
}

export type Evaluate = ReturnType<typeof createEvaluation>;

/** @param own the beginning of the systems of the service's own identifiers */
export function createEvaluation(edition: Edition, labels: Labels, own: string) {
  const { entries, numbers } = edition;
  const words = createWordFields(edition);
  const marked = (type: Type, is: (entry: Entry) => boolean) =>
    Uint8Array.from(entries[type], (one) => Number(is(one)));

  function marksOf(type: Type, criterion: Omit<Named, 'link'>, value: string): Uint8Array {
    const { name, modifier, parameter } = criterion;
    if (parameter.kind === 'words') {
      const { joining } = parameter;
      if (modifier === 'missing')
        return words.present(type, name, joining).map((mark) => Number((mark === 1) === (value === 'false')));
      const texts = alternatives(value).map((one) => parted(one).join('|'));
      if (modifier === 'exact')
        return marked(type, (entry) => textsOf(name, entry).some((text) => texts.includes(text)));
      return words.find(
        type,
        name,
        joining,
        texts.map((text) => wantedWords(text, parameter)),
      );
    }
    const is = checkOf(criterion, alternatives(value));
    if (modifier === 'missing') return marked(type, (entry) => isPresent(criterion, entry) === (value === 'false'));
    return marked(type, modifier === 'not' ? (entry) => !is(entry) : is);
  }

  function checkOf(
    { name, modifier, parameter }: Omit<Named, 'link'>,
    values: readonly string[],
  ): (entry: Entry) => boolean {
    switch (parameter.kind) {
      case 'id':
        return ({ id }) => values.includes(id);
      case 'active':
        return () => values.includes('true');
      case 'token': {
        const tokens = values.map(parted);
        const isNamed = (one: string) => tokens.some((parts) => parts.at(-1) === one || parts.at(-1) === '');
        return ({ identifiers }) =>
          identifiers.some(
            ([system, one]) =>
              isNamed(one) && tokens.some((parts) => isToken(parts, system.replace('{own}', own), one)),
          );
      }
      case 'label': {
        const checks = values.map((one) =>
          modifier === 'text' ? labels.beginning(parted(one).join('|')) : labels.exactly(one),
        );
        // Few concepts stand in many entries.
        const known = new Map<Concept, boolean>();
        const isFound = (concept: Concept) => {
          const found = known.get(concept) ?? checks.some((check) => check(concept));
          known.set(concept, found);
          return found;
        };
        return ({ concepts }) => (concepts[name] ?? []).some(isFound);
      }
      case 'contact': {
        const checks = values.map((one) => contactCheck(parted(one), parameter));
        return ({ contacts }) => contacts.some((contact) => checks.some((check) => check(contact)));
      }
      case 'reference': {
        const ids = values.map((one) => one.split('/').at(-1));
        return ({ references }) => ids.includes(references[referenceName(name)]);
      }
      case 'near': {
        const circles = modifier === 'missing' ? [] : values.map(circleOf);
        return ({ place }) => !!place && circles.some(({ centre, metres }) => metresApart(place, centre) <= metres);
      }
      case 'words':
        throw new Error('words are looked up in their fields');
    }
  }

  const targets = new Map<string, Int32Array>();
  /** The numbers of what a reference leads to; -1 where it leads nowhere. */
  function targetsOf(from: Type, reference: string, to: Type): Int32Array {
    const known =
      targets.get(`${from} ${reference}`) ??
      Int32Array.from(entries[from], ({ references }) => numbers[to].get(references[reference] ?? '') ?? -1);
    targets.set(`${from} ${reference}`, known);
    return known;
  }

  /** The entries of a type that are linked with marked ones. */
  function linkedMarks(type: Type, { linked, reference, isReverse }: Link, marks: Uint8Array): Uint8Array {
    if (!isReverse) return Uint8Array.from(targetsOf(type, reference, linked), (target) => marks[target] ?? 0);
    const found = new Uint8Array(entries[type].length);
    for (const [number, target] of targetsOf(linked, reference, type).entries())
      if (marks[number] && target >= 0) found[target] = 1;
    return found;
  }

  return (type: Type, criteria: Criteria): Uint8Array => {
    const all = new Uint8Array(entries[type].length).fill(1);
    for (const [text, value] of criteria) {
      const { link, ...criterion } = named(type, text);
      const marks = marksOf(link?.linked ?? type, criterion, value);
      const own = link ? linkedMarks(type, link, marks) : marks;
      for (let number = 0; number < all.length; number++) (all[number] as number) &= own[number] as number;
    }
    return all;
  };
}

/** Values joined by OR; their escapes stay. */
export function alternatives(value: string): string[] {
  return value.split(/(?<!\\),/).map((one) => one.trim());
}

function textsOf(name: string, { names, family, given, addresses }: Entry): readonly string[] {
  if (name === 'name') return names;
  if (name === 'family') return [family];
  if (name === 'given') return [given];
  if (name === 'address-city') return addresses.map(({ city }) => city);
  if (name === 'address-postalcode') return addresses.map(({ postalCode }) => postalCode);
  return addresses.flatMap(({ lines, postalCode, city }) => [...lines, postalCode, city]);
}

type ContactParameter = { system?: 'email' | 'phone'; secure?: boolean };

const isOf =
  ({ system, secure }: ContactParameter) =>
  (contact: Contact) =>
    (system === undefined || contact.system === system) && (!secure || contact.isSecure === true);

/** `value`, `system|value` or `system|`. */
function contactCheck(parts: readonly string[], parameter: ContactParameter): (contact: Contact) => boolean {
  const [first = '', second] = parts;
  const value = second ?? first;
  const isNumber = /^[+\d][\d\s()./-]*$/.test(value);
  const own = isOf(parameter);
  return (contact) => {
    if (!own(contact) || (second !== undefined && contact.system !== first)) return false;
    if (value === '') return true;
    const same = contact.value.toLowerCase() === value.toLowerCase();
    return same || (isNumber && contact.system !== 'email' && nationalNumber(contact.value) === nationalNumber(value));
  };
}

function isPresent({ name, parameter }: Omit<Named, 'link'>, entry: Entry): boolean {
  if (parameter.kind === 'token') return entry.identifiers.length > 0;
  if (parameter.kind === 'label') return (entry.concepts[name] ?? []).length > 0;
  if (parameter.kind === 'contact') return entry.contacts.some(isOf(parameter));
  if (parameter.kind === 'reference') return entry.references[referenceName(name)] !== undefined;
  return parameter.kind === 'near' ? entry.place !== undefined : true;
}

/** `latitude|longitude|distance|unit`. */
export function circleOf(value: string): Circle {
  const [north = '', east = '', distance = '', unit = 'km'] = value.split('|');
  const metres = Number(distance === '' ? 10 : distance) * (unit === 'm' ? 1 : 1000);
  return { centre: { latitude: Number(north), longitude: Number(east) }, metres };
}
