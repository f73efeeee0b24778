// The kinds of searches that are compared. The values come from entries of the edition, so that most searches find something.

import type { Draw } from '#support/draw.ts';
import { chain, modified, ownCriterion } from './draws/criteria.ts';
import { joinedName, numbered, said, titled } from './draws/people-write.ts';
import { anyOf, type Stage } from './draws/stage.ts';
import { near, type Pair } from './draws/values.ts';
import type { Entry, Type } from './edition/entry.ts';
import type { Criteria } from './rules/evaluate.ts';

/** A search to be compared. */
export interface Question {
  type: Type;
  criteria: Criteria;
  sort?: string;
  /** `_include` and `_revinclude`. */
  including?: Criteria;
  /** True if the search is sent by POST. */
  isPosted?: boolean;
}

type Drawn = (stage: Stage, entry: Entry) => readonly (Pair | undefined)[];

/** A kind that draws criteria for an entry; undefined if the entry has nothing for it. */
const kind =
  (types: readonly Type[], drawn: Drawn, more: (draw: Draw, type: Type) => Partial<Question> = () => ({})) =>
  (stage: Stage): Question | undefined => {
    const type = stage.draw.one(types);
    const criteria = drawn(stage, anyOf(stage, type));
    if (criteria.some((one) => one === undefined)) return undefined;
    return { type, criteria: criteria as Pair[], ...more(stage.draw, type) };
  };

const [P, O, R] = ['Practitioner', 'Organization', 'PractitionerRole'] as const;
const ALL = [P, O, R];
const WITH_LINKS = [R, R, O, P];
const own =
  (...kinds: string[]): Drawn =>
  (stage, entry) => [ownCriterion(stage, entry, kinds)];
const chained =
  (choices: Parameters<typeof chain>[2] = {}): Drawn =>
  (stage, entry) => [chain(stage, entry, choices)];

const SORTS: Readonly<Record<Type, readonly string[]>> = {
  Practitioner: ['name', 'family,given', 'given', 'address-city'],
  Organization: ['name', 'address-city'],
  PractitionerRole: ['_id', 'practitioner', 'organization'],
};
const sorted = (draw: Draw, type: Type) => {
  const sort = draw.one(SORTS[type]);
  return { sort: draw.one([sort, `-${sort.replace(',', ',-')}`]) };
};

const INCLUDING: Readonly<Record<Type, readonly Criteria[]>> = {
  Practitioner: [
    [['_revinclude', 'PractitionerRole:practitioner']],
    [
      ['_revinclude', 'PractitionerRole:practitioner'],
      ['_include:recurse', 'PractitionerRole:organization'],
    ],
  ],
  Organization: [[['_include', 'Organization:partof']], [['_revinclude', 'PractitionerRole:organization']]],
  PractitionerRole: [
    [['_include', 'PractitionerRole:practitioner']],
    [
      ['_include', 'PractitionerRole:practitioner'],
      ['_include', 'PractitionerRole:organization'],
    ],
    [
      ['_include', 'PractitionerRole:organization'],
      ['_include:recurse', 'Organization:partof'],
    ],
  ],
};
const including = (draw: Draw, type: Type) => ({ including: draw.one(INCLUDING[type]) });

/** Makes one search of each kind. */
export const KINDS: Readonly<Record<string, (stage: Stage) => Question | undefined>> = {
  'names, towns, addresses': kind([P, O], own('name', 'name', 'family', 'given', 'address', 'city', 'postalCode')),
  'identifiers, ids, references': kind(ALL, own('identifier', 'id', 'practitioner', 'organization', 'partof')),
  'contacts of people': kind([P], own('contact')),
  'contacts of structures': kind([O], own('contact')),
  'codes and labels': kind(ALL, own('qualification', 'type', 'role', 'specialty')),
  'what people say for labels': kind(ALL, (stage, entry) => [said(stage, entry)]),
  modifiers: kind(ALL, (stage, entry) => {
    const plain = ownCriterion(stage, entry);
    return [plain && modified(stage, entry, [plain[0].replace(/:[A-Z]\w+$/, ''), plain[1]])];
  }),
  'words together and apart': kind([P, P, O], (stage, entry) => [joinedName(stage, entry)]),
  titles: kind([P], (stage, entry) => [titled(stage, entry)]),
  'numbers of houses': kind([P, O], (stage, entry) => [numbered(stage, entry)]),
  'several criteria': kind(ALL, (stage, entry) => [ownCriterion(stage, entry), ownCriterion(stage, entry)]),
  alternatives: kind(ALL, (stage, entry) => {
    const one = ownCriterion(stage, entry);
    const other = one && ownCriterion(stage, anyOf(stage, entry.type), stage.kindsOf(one[0]));
    return [one && other && one[0] === other[0] ? [one[0], `${one[1]},${other[1]}`] : undefined];
  }),
  'chains forwards': kind([R, R, O], chained({ ways: /^[a-z-]+\./ })),
  'chains with the type': kind([R, O], chained({ ways: /^[a-z-]+:/ })),
  _has: kind([P, O], chained({ ways: /^_has/ })),
  'chains with modifiers': kind(WITH_LINKS, chained({ isModified: true })),
  'several chains': kind(WITH_LINKS, (stage, entry) => [chain(stage, entry), chain(stage, entry)]),
  'chains beside criteria': kind(WITH_LINKS, (stage, entry) => [chain(stage, entry), ownCriterion(stage, entry)]),
  'chains, sorted': kind(WITH_LINKS, chained(), sorted),
  near: kind([O], (stage, entry) => [
    near(stage.draw, entry, ''),
    ...(stage.draw.between(0, 1) ? [ownCriterion(stage, entry, ['type', 'name'])] : []),
  ]),
  'near by a chain': kind([R, O], chained({ kinds: ['near'], ways: /^(organization|partof)/ })),
  'near, sorted by distance': kind([O], own('near'), (draw) => ({ sort: draw.one(['near', '-near']) })),
  sorted: kind(ALL, (stage, entry) => [ownCriterion(stage, entry)], sorted),
  'sorted as a whole': kind(ALL, () => [], sorted),
  includes: kind(ALL, (stage, entry) => [ownCriterion(stage, entry)], including),
  'chains with includes': kind(WITH_LINKS, chained(), including),
  'searches by POST': kind(
    ALL,
    (stage, entry) => [ownCriterion(stage, entry)],
    () => ({ isPosted: true }),
  ),
};
