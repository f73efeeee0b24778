// What people write: names together or apart, titles, numbers of houses, words for professions.

import type { Entry } from '../edition/entry.ts';
import { joined, words } from '../rules/words.ts';
import type { Stage } from './stage.ts';
import { codeOf, escaped, type Pair } from './values.ts';

/** A word for the label of one of the entry's codes. */
export function said({ draw, labels }: Stage, { concepts }: Entry): Pair | undefined {
  const coded = Object.entries(concepts).flatMap(([name, some]) =>
    some.flatMap((concept) => {
      const synonyms = labels.saidFor(new Set(concept.map(({ label }) => joined(label))));
      return synonyms.length > 0 ? [{ name, concept, synonyms }] : [];
    }),
  );
  if (coded.length === 0) return undefined;
  const { name, concept, synonyms } = draw.one(coded);
  const word = draw.one(synonyms);
  const written = draw.one([word, word.toUpperCase(), `${word}s`, word.normalize('NFD').replaceAll(/\p{Mn}/gu, '')]);
  if (draw.between(0, 3) === 0)
    return [`${name}:text`, escaped(word.slice(0, draw.between(3, Math.max(3, word.length))))];
  return draw.between(0, 9) === 0 ? [name, codeOf(draw, concept)] : [name, escaped(written)];
}

/** Neighbouring words of a name written as one, or one word written as two. */
export function joinedName({ draw }: Stage, { type, names, family, given }: Entry): Pair | undefined {
  const fields =
    type === 'Practitioner'
      ? [
          ['family', family],
          ['given', given],
          ['name', draw.one([family, given])],
        ]
      : [['name', names[0] ?? '']];
  const [name = '', text = ''] = draw.one(fields);
  const row = words(text);
  if (row.length === 0) return undefined;
  const at = draw.between(0, Math.max(0, row.length - 2));
  const length = draw.between(2, 3);
  if (row.length > 1 && draw.between(0, 3) > 0) {
    const one = row.slice(at, at + length).join('');
    const rest = row.slice(at + length);
    return [name, [one, ...(draw.between(0, 1) ? rest : [])].join(' ')];
  }
  const word = draw.one(row);
  if (word.length < 4) return undefined;
  const cut = draw.between(1, Math.min(4, word.length - 2));
  return [name, `${word.slice(0, cut)}${draw.one([' ', '-', "'"])}${word.slice(cut)}`];
}

const TITLES = [
  'Dr',
  'dr.',
  'Pr',
  'Pr.',
  'Docteur',
  'M.',
  'Mme',
  'mme',
  'Monsieur',
  'Madame',
  'Professeur',
  'Mlle',
  'Pr Dr',
];

export function titled({ draw }: Stage, { family, given }: Entry): Pair {
  const name = draw.one([family, `${given} ${family}`, family.slice(0, 4), given]);
  return ['name', `${draw.one(TITLES)} ${name}`];
}

/** A number of a house with what follows it, in one of its spellings, perhaps with the street. */
export function numbered({ draw }: Stage, { addresses }: Entry): Pair | undefined {
  const found = addresses.flatMap(({ lines }) => lines).filter((line) => /^\d{1,4} /.test(line));
  if (found.length === 0) return undefined;
  const [number = '', second = '', ...rest] = words(draw.one(found));
  const suffix = /^(b|t|q|bis|ter|quater|[a-z])$/.test(second) ? second : draw.one(['b', 't', 'bis', 'ter', 'a']);
  const forms: Record<string, string[]> = {
    b: ['b', 'bis', 'B'],
    t: ['t', 'ter'],
    bis: ['b', 'bis'],
    ter: ['t', 'ter'],
  };
  const written = draw.one(forms[suffix] ?? [suffix]);
  const house = draw.one([`${number} ${written}`, number + written, `${number}, ${written}`.replace(',', '')]);
  const street = draw.between(0, 1) ? rest.slice(-1) : [];
  return ['address', [house, ...street].join(' ')];
}

/** A name with another letter, two that changed places, one too few or too many, or a word that is no name. */
export function misspelt({ draw }: Stage, { type, names, addresses }: Entry): Pair {
  const text = type === 'Practitioner' ? names.join(' ') : (names[0] ?? '');
  const [parameter, row] = draw.one<[string, string[]]>([
    ['name', words(text)],
    ['address', words(addresses[0]?.lines.join(' ') ?? text)],
    ['address-city', words(addresses[0]?.city ?? text)],
  ]);
  const long = row.findIndex((word) => word.length > 3);
  const word = row[long] ?? 'xqzv';
  const at = draw.between(1, word.length - 2);
  const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  const letter = draw.one([...'aeiourstlnqx']);
  const wrong = draw.one([
    before + letter + after,
    before + after,
    before + here + letter + after,
    before + after.slice(0, 1) + here + after.slice(1),
  ]);
  return [parameter, row.length === 0 ? wrong : row.with(Math.max(0, long), wrong).slice(0, 3).join(' ')];
}
