// Values of search parameters that find an entry, as people and programs write them.

import type { Draw } from '#support/draw.ts';
import type { Address, Concept, Entry } from '../edition/entry.ts';
import { nationalNumber } from '../edition/structures.ts';
import { words } from '../rules/words.ts';

/** A name and a value; undefined if the entry has nothing by which it could be found so. */
export type Pair = readonly [name: string, value: string];
type Draws = (draw: Draw, entry: Entry, own: string) => Pair | undefined;

/** Escapes what is special in a value. */
export const escaped = (value: string) => value.replaceAll(/[\\,|$]/g, '\\$&');

/** Some words of a text, or their beginnings. */
export function someWords(draw: Draw, text: string, most = 3): string | undefined {
  const all = words(text).filter((word) => word.length > 1);
  if (all.length === 0) return undefined;
  const chosen = draw.some(all, draw.between(1, most));
  return chosen.map((word) => (draw.between(0, 2) === 0 ? word : draw.prefix(word, 6))).join(' ');
}

const ofWords =
  (name: string, textOf: (entry: Entry, draw: Draw) => string): Draws =>
  (draw, entry) => {
    const value = someWords(draw, textOf(entry, draw));
    return value === undefined ? undefined : [name, value];
  };

const chosen = <Item>(draw: Draw, list: readonly Item[]): Item | undefined =>
  list.length === 0 ? undefined : draw.one(list);

const addressText = (draw: Draw, { addresses }: Entry, textOf: (address: Address) => string) => {
  const address = chosen(draw, addresses);
  return address ? textOf(address) : '';
};

export const name = ofWords('name', ({ type, names }, draw) =>
  type === 'Practitioner' ? names.join(' ') : (chosen(draw, names) ?? ''),
);
export const family = ofWords('family', (entry) => entry.family);
export const given = ofWords('given', (entry) => entry.given);
export const address = ofWords('address', (entry, draw) =>
  addressText(draw, entry, ({ lines, postalCode, city }) => [...lines, postalCode, city].join(' ')),
);
export const city = ofWords('address-city', (entry, draw) => addressText(draw, entry, (one) => one.city));
export const postalCode: Draws = (draw, entry) => {
  const code = addressText(draw, entry, (one) => one.postalCode);
  return code === '' ? undefined : ['address-postalcode', code.slice(0, draw.between(2, code.length))];
};

export const identifier: Draws = (draw, { identifiers }, own) => {
  const found = chosen(draw, identifiers);
  if (!found) return undefined;
  const system = found[0].replace('{own}', own);
  return ['identifier', draw.one([found[1], `${system}|${found[1]}`, `|${found[1]}`])];
};

export const id: Draws = (draw, entry) => ['_id', draw.between(0, 4) === 0 ? `${entry.id},nobody` : entry.id];

/** A code or a label of a concept. */
export function codeOf(draw: Draw, concept: Concept): string {
  const { system, code, label } = draw.one(concept);
  const forms = [
    code,
    ...(label === '' ? [] : [escaped(label)]),
    ...(system === undefined ? [`|${code}`] : [`${system}|${code}`]),
  ];
  return draw.one(forms.filter((form) => form !== '' && form !== '|'));
}

const coded =
  (parameter: string): Draws =>
  (draw, { concepts }) => {
    const concept = chosen(draw, concepts[parameter] ?? []);
    return concept && [parameter, codeOf(draw, concept)];
  };
export const qualification = coded('qualification');
export const type = coded('type');
export const role = coded('role');
export const specialty = coded('specialty');

/** A number in one of the spellings of people. */
function spelt(draw: Draw, value: string): string {
  const digits = nationalNumber(value);
  const pairs = digits.match(/../g) ?? [digits];
  return draw.one([
    value,
    digits,
    pairs.join(' '),
    pairs.join('.'),
    digits.replace(/^0/, '+33'),
    digits.replace(/^0/, '0033'),
  ]);
}

/** Any of the parameters of contacts. */
export const contact: Draws = (draw, { contacts }) => {
  const found = chosen(draw, contacts);
  if (!found) return undefined;
  const { system, value, isSecure } = found;
  const written = system === 'email' ? draw.one([value, value.toUpperCase()]) : spelt(draw, value);
  const names =
    system === 'fax' ? ['telecom'] : ['telecom', system, ...(isSecure ? ['mailbox-mss', 'mailbox-mss'] : [])];
  const parameter = draw.one(names);
  const isStated = parameter === 'telecom' && draw.between(0, 2) === 0;
  return [parameter, isStated ? `${system}|${written}` : written];
};

export const reference =
  (parameter: string, to: string): Draws =>
  (draw, { references }) => {
    const target = references[parameter];
    if (target === undefined) return undefined;
    const written = parameter === 'partof' ? draw.one(['partof', 'part-of']) : parameter;
    return draw.one<Pair>([
      [written, target],
      [written, `${to}/${target}`],
      [`${written}:${to}`, target],
    ]);
  };

/** A circle in which the entry is, or nearly. */
export const near: Draws = (draw, { place }) => {
  if (!place) return undefined;
  const [north, east] = [draw.between(-2000, 2000) / 10_000, draw.between(-2000, 2000) / 10_000];
  const centre = `${(place.latitude + north).toFixed(4)}|${(place.longitude + east).toFixed(4)}`;
  const distance = draw.one(['', '|5|km', '|20|km', '|30.5', '|15000|m', '|50|km', '|0.5|km']);
  return ['near', centre + distance];
};
