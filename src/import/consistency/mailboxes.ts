// Compares secure mail addresses with the names of their owners. If an address has the name of somebody else, letters to it reach a
// stranger.

import type { Collector } from '#import/collect/collector.ts';
import { cell, type Row } from '#import/collect/columns.ts';
import { createStrangers } from '#import/collect/pairs.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { fold, tokenize } from '#search-index/index.ts';
import { type PersonName, sameWord } from './names.ts';
import { nameOf, nameText, type Place, placeText } from './people.ts';

/** Tells which name an address has: that of its owner, that of another person, or no name. */
export type Fit = 'own' | 'other' | 'neutral';

/** Minimum length of a word that is compared. A shorter word may by chance be a part of another name. */
const LONG_WORD = 4;
const NOT_LETTERS = /[^a-z]+/;

/** Titles, which may stand beside any name. They are not taken for names. */
const TITLES: ReadonlySet<string> = new Set(['docteur', 'dr', 'medecin', 'pr', 'prof', 'professeur']);
/** Words that show that an address belongs to an office and not to a person. */
const ROLE_WORDS: ReadonlySet<string> = new Set(
  (
    'accueil admin ambulatoire cabinet centre ch chr chru chu clinique consultation contact coordination coordonnateur ' +
    'direction ehpad equipe garde hopital idel infirmier info kine labo laboratoire maison med medecine medical mssante ' +
    'pharma pharmacie pole radiologie sante secretariat service ssr traitant urgences'
  ).split(' '),
);

/** Compares the part of an address before the `@` with the name of a person. */
export function fitOf(address: string, { family, given }: PersonName): Fit {
  const lower = address.toLowerCase();
  const end = lower.indexOf('@');
  // Most addresses contain a name in the spelling of the register, so this check comes first. It makes no new text from the address,
  // because it runs for each address.
  if (holds(lower, family.toLowerCase(), end) || holds(lower, given.toLowerCase(), end)) return 'own';
  const words = fold(lower.slice(0, end)).split(NOT_LETTERS);
  const joined = words.join('');
  const [families, givens] = [tokenize(family), tokenize(given)];
  if (holds(joined, families.join('')) || holds(joined, givens.join(''))) return 'own';
  const names = [...families, ...givens];
  if (names.some((name) => holds(joined, name) || words.some((word) => isOf(word, name)))) return 'own';
  const long = words.filter((word) => word.length > 1 && !TITLES.has(word));
  if (long.some((word) => ROLE_WORDS.has(word))) return 'neutral';
  if (long.length > 1) return 'other';
  const initials = words.filter((word) => word.length === 1);
  const isNamed = long.some((word) => word.length >= LONG_WORD) && initials.length > 0;
  return isNamed && !names.some((name) => initials.includes(name[0] ?? '')) ? 'other' : 'neutral';
}

/** Tells whether a name stands in a text before the index `end`. A short name is never found, because it may stand there by chance. */
function holds(text: string, name: string, end = text.length): boolean {
  if (name.length < LONG_WORD) return false;
  const at = text.indexOf(name);
  return at >= 0 && at + name.length <= end;
}

/** Tells whether a word of an address stands for a name: the word is the name, its beginning, or the name with a typing error. */
function isOf(word: string, name: string): boolean {
  if (word === name) return word.length > 1;
  return word.length >= LONG_WORD && (name.startsWith(word) || sameWord(word, name));
}

/**
 * Maximum number of addresses with another person's name that one thread lists. Further ones are only counted, so that the list has room
 * for doubts of other kinds.
 */
const LISTED = 200;

/**
 * Returns a function that checks whether a personal address has the name of its owner, and counts the result. If the address has the name
 * of another person, it is reported as doubtful.
 */
export function createMailboxComparison({ pairs, populations, warn, doubt }: Collector) {
  const strangerAfter = createStrangers<PersonName>(1, 64);
  const [names, runs] = [pairs.of('mailboxNames'), pairs.of('mailboxRuns')];
  let listed = 0;
  /** @param owner the owner's line in the register of activities */
  return (nationalId: string, row: Row, place: Place, owner: Row): void => {
    const address = cell(row, M.address);
    populations.mailbox(address);
    const named = nameOf(row, M);
    const name = named.family === '' && named.given === '' ? nameOf(owner, A) : named;
    const { file } = place.source;
    const fit = fitOf(address, name);
    const text = () => `"${address}" beside ${nameText(name)}`;
    names.judged(file, 0, fit !== 'own', text);
    if (fit !== 'neutral') runs.judged(file, place.number, fit === 'other', text);
    const stranger = strangerAfter(name);
    if (stranger) {
      const mixed = fitOf(address, stranger);
      names.mixed(file, mixed !== 'own');
      if (mixed !== 'neutral') runs.mixed(file, mixed === 'other');
    }
    if (fit !== 'other' || fitOf(address, nameOf(owner, A)) !== 'other') return;
    if (++listed > LISTED) warn('mailbox-of-another', address);
    else doubt('mailbox-of-another', `Practitioner/${practitionerId(nationalId)}`, `${text()} (${placeText(place)})`);
  };
}
