// What an empty result offers: similar searches that find something, each with its total. Some come from the directory itself, which names
// other spellings; others leave a criterion out or read a word in another way.

import type { Directory, DirectoryType } from '#demo/directory.ts';
import { parametersOf } from './find.ts';
import type { Vocabularies } from './vocabulary.ts';
import { isPlace, queryOf, readSearch, type Search, splitPlace } from './words.ts';

export interface Repair {
  type: DirectoryType;
  /** The query of the page that shows it. */
  query: Record<string, string>;
  search: Search;
  total: number;
}

/** Searches that are offered, and those that are counted to find them: each costs a request, and a long text has many words. */
const [MOST, MOST_COUNTED] = [5, 12];
/** `Practitioner?name=martin finds 36: martin instead of marttin.` */
const SUGGESTION = /^(Practitioner|Organization)\?(\S+) finds \d+: /;

/** Searches for what somebody may have meant. `notes` are those of the directory. */
export async function repairs(
  directory: Directory,
  search: Search,
  notes: readonly string[],
  vocabularies: Vocabularies,
): Promise<Repair[]> {
  const asked = JSON.stringify(search.criteria);
  const { type: own, where } = search;
  const there = readSearch(own, { address: where }, vocabularies[own]);
  // Where somebody is known at the place, another spelling of it is not what was meant.
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
      // A candidate that the directory refuses is dropped.
      const total = await count(directory, other).catch(() => 0);
      return { type: other.type, query: queryOf(other), search: other, total };
    }),
  );
  return counted.filter(({ total }) => total > 0).slice(0, MOST);
}

/** How many resources a search finds by their own elements; 0 where the directory does not count. */
export async function count(directory: Directory, { type, criteria }: Search): Promise<number> {
  const people = type === 'Practitioner' && criteria.some(({ key }) => key === 'phone');
  if (people) return 0;
  return (await directory.search(type, { ...parametersOf(criteria), _count: '0' })).total ?? 0;
}

type Candidate = readonly [type: DirectoryType, query: Record<string, string>];

/** The directory's suggestions as texts of the two fields, or as further criteria. */
function suggested(notes: readonly string[], vocabularies: Vocabularies): Candidate[] {
  return notes.flatMap((note): Candidate[] => {
    const [, type, parameters] = SUGGESTION.exec(note) ?? [];
    if (!type || !parameters) return [];
    const { labelsOf, kind } = vocabularies[type as DirectoryType];
    const who: string[] = [];
    const query: Record<string, string> = {};
    for (const [key, value] of new URLSearchParams(parameters)) {
      if (key === 'name' || (key === kind && labelsOf(value).length > 0)) who.push(value);
      // A letter that stands apart is not what somebody meant.
      else if (/(^| ).( |$)/.test(value)) return [];
      else if (key.startsWith('address')) query['address'] = value;
      else query[key] = value;
    }
    return [[type as DirectoryType, { ...query, name: who.join(' ') }]];
  });
}

/** The same search in the department, or anywhere. */
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
    // A word that is nearly a profession or a kind.
    ...close.flatMap((term, at): Candidate[] =>
      term === undefined ? [] : [[type, { ...query, name: words.with(at, term).join(' ') }]],
    ),
    // What was read as a profession may be a name.
    ...(criteria.some(({ key }) => key === 'qualification' || key === 'type')
      ? [[type, { ...query, name: `"${who}"` }] as const]
      : []),
    // The last or the first word is a town.
    ...(words.length > 1 && !where
      ? [
          [type, { ...query, name: words.slice(0, -1).join(' '), address: words.at(-1) ?? '' }] as const,
          [type, { ...query, name: words.slice(1).join(' '), address: words[0] ?? '' }] as const,
        ]
      : []),
    // One word of several.
    ...(words.length > 1 ? words.map((word): Candidate => [type, { ...query, name: word }]) : []),
    [other, query],
    // The words of the place anywhere in the address.
    ...(where ? [[type, { ...query, address: `"${where}"` }] as const] : []),
    // One word of several, anywhere: more than one of them was mistyped.
    ...(where && words.length > 1 ? words.map((word): Candidate => [type, { ...query, name: word, address: '' }]) : []),
  ];
}

function departmentOf(postcode: string): string {
  return postcode.slice(0, /^9[78]/.test(postcode) ? 3 : 2);
}
