// Converts the texts of the two fields (who and where) to search criteria of the directory. It sends no request.

import type { DirectoryType } from '#demo/directory.ts';
import { folded } from './text.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The FHIR search parameter of a criterion. */
type CriterionKey =
  | (typeof WHO_KEYS)[number]
  | (typeof WHERE_KEYS)[number]
  | 'organization'
  | 'part-of'
  | 'qualification:text'
  | 'type:text';

const WHO_KEYS = ['name', 'qualification', 'type', 'identifier', 'telecom', 'phone'] as const;
const WHERE_KEYS = ['address-city', 'address-postalcode', 'address'] as const;

export interface Criterion {
  key: CriterionKey;
  /** The value, escaped as FHIR requires. */
  value: string;
}

export function isPlace({ key }: Criterion): boolean {
  return (WHERE_KEYS as readonly string[]).includes(key);
}

const TITLES = /^(dr|docteur|docteure|pr|professeur|professeure|m|mr|mme|mlle|monsieur|madame|mademoiselle)$/;
const NUMBER = /^(?:(?:n|no|rpps|adeli|finess|siret|siren)[\s°.:]*)?(\d[\d\s.]*|\d[\dab]\d{7})$/i;
const PHONE = /^(?:0\d|(?:\+|00)33\d)\d{8}$/;
const STREET =
  /^(rue|avenue|av|boulevard|bd|bld|place|pl|chemin|quai|allee|impasse|route|cours|square|faubourg|zac|za)$/;
/** Cities in which each quarter has a postcode, and the first three digits of these postcodes. So `Lyon 3` means the postcode 69003. */
const QUARTERS: Record<string, string> = { paris: '750', lyon: '690', marseille: '130' };
/**
 * First digits of the postcodes in each department of Corsica. Elsewhere, postcodes begin with the number of the department. The numbers of
 * these two departments have a letter, and their postcodes do not.
 */
const CORSICA: Record<string, string> = { '2a': '200,201', '2b': '202,206' };
/** Maximum number of characters of a text that is analysed. A longer text is searched as a name, which the directory refuses. */
const LONGEST_TEXT = 256;
/** Maximum number of words in the name of a profession or speciality, such as "infirmier en pratique avancée". */
const LONGEST_TERM = 8;

/** Splits a text such as "pédiatre à Lyon" into the texts of both fields. Changes nothing if the second field has a text. */
export function splitPlace(who: string, where: string): { who: string; where: string } {
  const [, before, after] = /^(.+?)\s+(?:à|À|in)\s+([^\s].*)$/.exec(who) ?? [];
  return before && after && !where ? { who: before, where: after } : { who, where };
}

/** Escapes `,`, `|`, `$` and `\`, so that FHIR takes the text for one value. */
function literal(text: string): string {
  return text.replace(/[\\,|$]/g, '\\$&');
}

const words = (text: string) => literal(text.replaceAll(',', ' ').replace(/\s+/g, ' ').trim());

/**
 * Returns the text between quotation marks, which the caller searches without analysing it. Returns undefined if the text is not quoted.
 */
function quoted(text: string): string | undefined {
  return /^["“«]\s*(.+?)\s*["”»]$/.exec(text)?.[1];
}

/** Converts the text of the first field to criteria. The text may be a number, a mail address, a telephone number, or words. */
export function readWho(text: string, vocabulary: Vocabulary): Criterion[] {
  const who = text.trim();
  if (who === '') return [];
  const name = who.length > LONGEST_TEXT ? who : quoted(who);
  if (name !== undefined) return [{ key: 'name', value: words(name) }];
  if (who.includes('@')) return [{ key: 'telecom', value: literal(who) }];
  const compact = who.replace(/[\s.()-]/g, '');
  if (PHONE.test(compact)) return [{ key: 'phone', value: compact.replace(/^(?:\+|00)33/, '0') }];
  const number = NUMBER.exec(who)?.[1]?.replace(/[\s.]/g, '');
  if (number) return [{ key: 'identifier', value: number.toUpperCase() }];
  return readWords(who, vocabulary);
}

/**
 * Finds professions and specialities, or kinds of structures, among the words. Longer terms are looked for first. The words that are left
 * are a name.
 */
function readWords(text: string, vocabulary: Vocabulary): Criterion[] {
  const key = vocabulary.kind;
  const rest = text.split(/[\s,;]+/).filter(Boolean);
  const terms: string[] = [];
  for (let length = Math.min(LONGEST_TERM, rest.length); length > 0; length -= 1) {
    for (let at = 0; at + length <= rest.length; ) {
      const term = rest.slice(at, at + length).join(' ');
      // A title before other words is no profession: "Docteur Martin" is a person. Alone, "docteur" is a profession.
      const isTitle = length === 1 && rest.length > 1 && TITLES.test(folded(term));
      if (isTitle || vocabulary.labelsOf(term).length === 0) at += 1;
      else {
        terms.push(term);
        rest.splice(at, length);
      }
    }
  }
  const names = rest.filter((word) => !TITLES.test(folded(word)));
  // In "M. et Mme Martin", the word "et" is left after the titles are removed. It is removed too.
  if (names.length < rest.length && names[0] === 'et') names.shift();
  // If the text has nothing but titles, they are searched as a name.
  const name = names.length > 0 || terms.length > 0 ? names : rest;
  return [
    ...terms.map((term) => ({ key, value: literal(term) })),
    ...(name.length > 0 ? [{ key: 'name' as const, value: words(name.join(' ')) }] : []),
  ];
}

/**
 * Converts the text of the second field to criteria. A postcode or its beginning is searched as a postcode, a text with a street or a
 * number as an address, and other words as a town.
 */
export function readWhere(text: string): Criterion[] {
  const where = text.trim();
  if (words(where) === '') return [];
  const address = quoted(where);
  if (address !== undefined) return [{ key: 'address', value: words(address) }];
  const all = folded(where)
    .split(' ')
    .filter((word) => !/^(cedex|arrondissement)$/.test(word));
  const [first = '', second = ''] = all;
  if (all.length === 1 && CORSICA[first]) return [{ key: 'address-postalcode', value: CORSICA[first] }];
  if (all.length > 0 && all.every((word) => /^\d{2,5}$/.test(word)))
    return [{ key: 'address-postalcode', value: all.join('').length === 5 ? all.join('') : all.join(',') }];
  const quarter = /^\d{1,2}(?=(er?|eme)?$)/.exec(second)?.[0];
  if (all.length === 2 && QUARTERS[first] && quarter)
    return [{ key: 'address-postalcode', value: QUARTERS[first] + quarter.padStart(2, '0') }];
  const [, postcode, town] = /^(\d{5})\s+(\D+)$/.exec(where.replace(/\s+cedex.*$/i, '')) ?? [];
  if (postcode && town)
    return [
      { key: 'address-postalcode', value: postcode },
      { key: 'address-city', value: words(town) },
    ];
  if (all.some((word) => STREET.test(word) || /\d/.test(word))) return [{ key: 'address', value: words(where) }];
  return [{ key: 'address-city', value: words(where) }];
}

/** Further criteria that links and bookmarks may have in their query, by type. The parameters of the query have the same names. */
const FURTHER: Record<DirectoryType, readonly CriterionKey[]> = {
  Practitioner: ['qualification', 'qualification:text', 'identifier', 'telecom', 'organization'],
  Organization: ['type', 'type:text', 'identifier', 'telecom', 'part-of'],
};

/** A search: the typed texts, and all criteria that were found in them and in the link. */
export interface Search {
  type: DirectoryType;
  /** The texts of the first and of the second field. */
  who: string;
  where: string;
  /** Further criteria of a link, which the fields do not show. */
  further: Criterion[];
  criteria: Criterion[];
}

/**
 * Converts the query of the search page to a search. `name` is the first field, and `address` the second. Values that are not text are
 * ignored. Several blanks become one, because the regular expressions of this file would take long to divide a long row of blanks.
 */
export function readSearch(type: DirectoryType, query: Record<string, unknown>, vocabulary: Vocabulary): Search {
  const textOf = (key: string) => {
    const value = query[key];
    return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  };
  const [who, where] = [textOf('name'), textOf('address')];
  const further = FURTHER[type].map((key) => ({ key, value: textOf(key) })).filter(({ value }) => value);
  const read = splitPlace(who, where);
  const criteria = [...readWho(read.who, vocabulary), ...further, ...readWhere(read.where)];
  return { type, who, where, further, criteria };
}

/** Converts a search to the query of the search page, which `readSearch` reads again. */
export function queryOf({ who, where, further }: Pick<Search, 'who' | 'where' | 'further'>): Record<string, string> {
  const given = { name: who, address: where, ...Object.fromEntries(further.map(({ key, value }) => [key, value])) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}
