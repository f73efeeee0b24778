// Suggestions for a search without results: similar searches that find something, each with its total. Some suggestions come from the
// directory itself, which finds other spellings. Others leave out a criterion, or give a word another meaning.

import type { Directory, DirectoryType } from '#demo/directory.ts';
import { parametersOf } from './find.ts';
import type { Vocabularies } from './vocabulary.ts';
import { isPlace, queryOf, readSearch, type Search, splitPlace } from './words.ts';

export interface Repair {
  type: DirectoryType;
  /** The query of the search page that shows the results of this search. */
  query: Record<string, string>;
  search: Search;
  total: number;
}

/**
 * Maximum number of suggestions (`MOST`), and of searches that are tried to find them (`MOST_COUNTED`). Tried searches are limited because
 * each costs a request, and a long text has many words.
 */
const [MOST, MOST_COUNTED] = [5, 12];
/** Pattern of a note of the directory that suggests a search: `Practitioner?name=martin finds 36: martin instead of marttin.` */
const SUGGESTION = /^(Practitioner|Organization)\?(\S+) finds \d+: /;

/** Finds the searches that the person may have meant. `notes` are the notes of the directory about `search`. */
export async function repairs(
  directory: Directory,
  search: Search,
  notes: readonly string[],
  vocabularies: Vocabularies,
): Promise<Repair[]> {
  const asked = JSON.stringify(search.criteria);
  const { type: own, where } = search;
  const there = readSearch(own, { address: where }, vocabularies[own]);
  // If a search for the place alone finds something, the place is spelt correctly. Then other spellings of the place are not suggested.
  const isKnown = there.criteria.length > 0 && (await count(directory, there).catch(() => 0)) > 0;
  const spelled = suggested(notes, vocabularies).filter(([, { address = '' }]) => !isKnown || address === where);
  const away = elsewhere(search);
  const close = isKnown ? [...away, ...spelled] : [...spelled, ...away];
  const candidates = new Map<string, Search>();
  for (const [type, query] of [...close, ...rewritten(search, vocabularies)]) {
    const other = readSearch(type, query, vocabularies[type]);
    const key = JSON.stringify([type, other.criteria]);
    if (other.criteria.length === 0 || (type === search.type && JSON.stringify(other.criteria) === asked)) continue;
    if (!candidates.has(key)) candidates.set(key, other);
  }
  const counted = await Promise.all(
    [...candidates.values()].slice(0, MOST_COUNTED).map(async (other) => {
      // A search that the directory refuses gets the total 0, so it is not suggested.
      const total = await count(directory, other).catch(() => 0);
      return { type: other.type, query: queryOf(other), search: other, total };
    }),
  );
  return counted.filter(({ total }) => total > 0).slice(0, MOST);
}

/**
 * Returns the number of results of a search. A place is compared only with people's own addresses, and not with the structures where they
 * work. Returns 0 if people are searched by telephone number, because the directory has telephone numbers of structures only.
 */
export async function count(directory: Directory, { type, criteria }: Search): Promise<number> {
  const people = type === 'Practitioner' && criteria.some(({ key }) => key === 'phone');
  if (people) return 0;
  return (await directory.search(type, { ...parametersOf(criteria), _count: '0' })).total ?? 0;
}

type Candidate = readonly [type: DirectoryType, query: Record<string, string>];

/** Converts the suggestions in the directory's notes to queries of the search page. */
function suggested(notes: readonly string[], vocabularies: Vocabularies): Candidate[] {
  return notes.flatMap((note): Candidate[] => {
    const [, type, parameters] = SUGGESTION.exec(note) ?? [];
    if (!type || !parameters) return [];
    const { labelsOf, kind } = vocabularies[type as DirectoryType];
    const who: string[] = [];
    const query: Record<string, string> = {};
    for (const [key, value] of new URLSearchParams(parameters)) {
      if (key === 'name' || (key === kind && labelsOf(value).length > 0)) who.push(value);
      // A suggestion with a single letter as a word is left out, because nobody means that.
      else if (/(^| ).( |$)/.test(value)) return [];
      else if (key.startsWith('address')) query['address'] = value;
      else query[key] = value;
    }
    return [[type as DirectoryType, { ...query, name: who.join(' ') }]];
  });
}

/**
 * Returns up to two wider searches: one in the whole department (if the place has a postcode), and one without a place. Returns no search
 * if there is no place, or nothing but a place.
 */
function elsewhere({ type, who, where, further, criteria }: Search): Candidate[] {
  if (!criteria.some(isPlace) || !who) return [];
  const postcode = criteria.find(({ key }) => key === 'address-postalcode')?.value ?? '';
  const away = { who: splitPlace(who, where).who, further };
  return ['', ...(/^\d{3,}$/.test(postcode) ? [departmentOf(postcode)] : [])]
    .toReversed()
    .map((place) => [type, queryOf({ ...away, where: place })] as const);
}

function rewritten({ type, who, where, criteria, ...search }: Search, vocabularies: Vocabularies): Candidate[] {
  const query = queryOf({ ...search, who, where });
  const other = type === 'Practitioner' ? 'Organization' : 'Practitioner';
  const words = who.split(/\s+/);
  const close = words.map((word) => vocabularies[type].closeTo(word));
  return [
    // Replaces a word by a profession or kind with a similar spelling.
    ...close.flatMap((term, at): Candidate[] =>
      term === undefined ? [] : [[type, { ...query, name: words.with(at, term).join(' ') }]],
    ),
    // Takes all words for a name, even if some are a profession or a kind of structure.
    ...(criteria.some(({ key }) => key === 'qualification' || key === 'type')
      ? [[type, { ...query, name: `"${who}"` }] as const]
      : []),
    // Takes the last word for a town in one suggestion, and the first word in another.
    ...(words.length > 1 && !where
      ? [
          [type, { ...query, name: words.slice(0, -1).join(' '), address: words.at(-1) ?? '' }] as const,
          [type, { ...query, name: words.slice(1).join(' '), address: words[0] ?? '' }] as const,
        ]
      : []),
    // Searches for each word alone.
    ...(words.length > 1 ? words.map((word): Candidate => [type, { ...query, name: word }]) : []),
    [other, query],
    // Searches for the words of the second field anywhere in the address.
    ...(where ? [[type, { ...query, address: `"${where}"` }] as const] : []),
    // Searches for each word alone and without the place, because several words may be mistyped.
    ...(where && words.length > 1 ? words.map((word): Candidate => [type, { ...query, name: word, address: '' }]) : []),
  ];
}

function departmentOf(postcode: string): string {
  return postcode.slice(0, /^9[78]/.test(postcode) ? 3 : 2);
}
