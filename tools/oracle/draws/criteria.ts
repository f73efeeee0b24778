// Criteria of every kind that find a given entry of a type: of its own, and by chains of the entries that are linked with it.

import type { Entry, Type } from '../edition/entry.ts';
import { PARAMETERS } from '../rules/parameters.ts';
import { anyOf, linkedOf, type Stage } from './stage.ts';
import * as values from './values.ts';

type Pair = values.Pair;

const OWN = {
  Practitioner: [
    'name',
    'family',
    'given',
    'address',
    'city',
    'postalCode',
    'identifier',
    'qualification',
    'contact',
    'id',
  ],
  Organization: ['name', 'address', 'city', 'postalCode', 'identifier', 'type', 'contact', 'id', 'near', 'partof'],
  PractitionerRole: ['role', 'specialty', 'practitioner', 'organization', 'id'],
} as const;

const REFERENCES = {
  partof: values.reference('partof', 'Organization'),
  practitioner: values.reference('practitioner', 'Practitioner'),
  organization: values.reference('organization', 'Organization'),
};

/** A criterion of the entry's own, of one of the given kinds. */
export function ownCriterion(
  { draw, own }: Stage,
  entry: Entry,
  kinds: readonly string[] = OWN[entry.type],
): Pair | undefined {
  const kind = draw.one(kinds);
  const make = { ...values, ...REFERENCES }[kind as keyof typeof REFERENCES];
  return make(draw, entry, own);
}

/** The criterion with a modifier that its parameter takes. */
export function modified({ draw }: Stage, entry: Entry, [name, value]: Pair): Pair {
  const parameter = PARAMETERS[entry.type][name];
  switch (parameter?.kind) {
    case 'words': {
      const texts = exactTexts(name, entry);
      const exact: Pair[] = texts.length === 0 ? [] : [[`${name}:exact`, values.escaped(draw.one(texts))]];
      return draw.one([...exact, ...exact, [`${name}:missing`, draw.one(['true', 'false'])]]);
    }
    case 'label': {
      const [label] = (entry.concepts[name] ?? []).flatMap((concept) => concept.map((coding) => coding.label));
      const start = label === undefined ? [] : [label.slice(0, draw.between(2, label.length)).trim()];
      const text = start.map((one): Pair => [`${name}:text`, values.escaped(one)]);
      return draw.one<Pair>([
        ...text,
        ...text,
        [`${name}:not`, value],
        [`${name}:missing`, draw.one(['true', 'false'])],
      ]);
    }
    case 'token':
    case 'contact':
      return draw.one<Pair>([
        ...(name === 'mailbox-mss' ? [] : ([[`${name}:not`, value]] as const)),
        [`${name}:missing`, draw.one(['true', 'false'])],
      ]);
    case 'reference':
    case 'near':
      return [`${name}:missing`, draw.one(['true', 'false'])];
    default:
      return [name, value];
  }
}

function exactTexts(name: string, { names, family, given, addresses }: Entry): string[] {
  const texts = {
    name: names,
    family: [family],
    given: [given],
    address: addresses.flatMap(({ lines }) => lines),
    'address-city': addresses.map(({ city }) => city),
    'address-postalcode': addresses.map(({ postalCode }) => postalCode),
  }[name];
  return (texts ?? []).filter((text) => /[\p{L}\p{N}]/u.test(text));
}

/** The ways from a type to another one, by names of parameters. */
const WAYS: Readonly<Record<Type, readonly (readonly [prefix: string, to: Type])[]>> = {
  Practitioner: [['_has:PractitionerRole:practitioner:', 'PractitionerRole']],
  Organization: [
    ['partof.', 'Organization'],
    ['partof:Organization.', 'Organization'],
    ['part-of.', 'Organization'],
    ['_has:Organization:partof:', 'Organization'],
    ['_has:PractitionerRole:organization:', 'PractitionerRole'],
  ],
  PractitionerRole: [
    ['practitioner.', 'Practitioner'],
    ['practitioner:Practitioner.', 'Practitioner'],
    ['organization.', 'Organization'],
    ['organization:Organization.', 'Organization'],
  ],
};

/** An entry that is linked by a way. */
function at(stage: Stage, entry: Entry, prefix: string, to: Type): Entry | undefined {
  const [reference = ''] = prefix.replace('part-of', 'partof').split(/[.:]/);
  if (!prefix.startsWith('_has')) return linkedOf(stage, entry, reference, to);
  const [, , name = ''] = prefix.split(':');
  return stage.draw.one([...(stage.referring(to, name, entry.id) ?? [anyOf(stage, to)])]);
}

interface ChainChoices {
  ways?: RegExp;
  kinds?: readonly string[];
  isModified?: boolean;
}

/** A criterion on an entry that is linked with this one. */
export function chain(
  stage: Stage,
  entry: Entry,
  { ways = /./, kinds, isModified = false }: ChainChoices = {},
): Pair | undefined {
  const [prefix, to] = stage.draw.one(WAYS[entry.type].filter(([one]) => ways.test(one)));
  const linked = at(stage, entry, prefix, to);
  const plain = linked && ownCriterion(stage, linked, kinds);
  if (!plain || !linked) return undefined;
  // A chain cannot have the type of a further reference behind it.
  const own: Pair = [plain[0].replace(/:[A-Z]\w+$/, ''), plain[1]];
  const [name, value] = isModified ? modified(stage, linked, own) : own;
  return [prefix + name, value];
}
