// Counts how far the registers agree with each other about structures.

import type { Collector } from '#import/collect/collector.ts';
import { departmentOf } from '#import/collect/departments.ts';
import { createStrangers } from '#import/collect/pairs.ts';
import { finessId } from '#import/mapping/resource-ids.ts';
import type { StructureFacts } from '#import/mapping/structure-facts.ts';
import { fold, tokenize } from '#search-index/index.ts';
import { LONG_WORD } from './fused-structures.ts';

/** The file and line from which a record came. */
export interface Origin {
  file: number;
  line: number;
}

export type StructureComparison = ReturnType<typeof createStructureComparison>;

/** @param finess the kinds of lines that the FINESS files contain, named by the first cell of a line */
export function createStructureComparison(finess: ReadonlySet<string>, collector: Collector) {
  const countValues = createValueComparison(collector);
  /** Counts one structure. `facts` has one item for each line about the structure, and `origins` has these lines in the same order. */
  return (id: string, facts: readonly StructureFacts[], origins: readonly Origin[], hasMailbox: boolean): void => {
    const activities = facts.filter(({ source }) => source === 'activities');
    countStructure(id, facts, activities, hasMailbox, finess, collector.consistency);
    if (activities.length === 0) return;
    countFused(id, activities, collector);
    if (finess.size > 0) countValues(id, activities, facts, origins);
  };
}

function countStructure(
  id: string,
  facts: readonly StructureFacts[],
  activities: readonly StructureFacts[],
  hasMailbox: boolean,
  finess: ReadonlySet<string>,
  consistency: Collector['consistency'],
): void {
  if (hasMailbox) consistency.count('mailStructures', facts.length === 0 ? id : undefined);
  const establishments = facts.filter(({ source }) => source === 'establishment');
  const numbers = activities.map((fact) => fact.finess).filter((number) => number !== '');
  if (id.startsWith('F') && numbers.length > 0)
    consistency.count('numbers', numbers.map(finessId).includes(id) ? undefined : `${id}: ${numbers[0]}`);
  if (finess.size === 0) return;
  const isLegalEntity = facts.some(({ source }) => source === 'legal-entity');
  if (finess.has('structureet') && numbers.length > 0)
    consistency.count('establishments', establishments.length > 0 || isLegalEntity ? undefined : id);
  if (finess.has('structureej') && facts.some(({ source }) => source === 'reference'))
    consistency.count('legalEntities', isLegalEntity ? undefined : id);
  if (establishments.length === 0) return;
  countAgreement(id, 'places', departmentsOf(activities), departmentsOf(establishments), consistency);
  countAgreement(id, 'belonging', entitiesOf(activities), entitiesOf(establishments), consistency);
}

/** Counts whether the activities and FINESS have a value in common. Counts nothing if one of them has no value. */
function countAgreement(
  id: string,
  key: 'places' | 'belonging',
  named: readonly string[],
  published: readonly string[],
  consistency: Collector['consistency'],
): void {
  if (named.length === 0 || published.length === 0) return;
  const agreed = named.some((value) => published.includes(value));
  consistency.count(key, agreed ? undefined : `${id}: ${named[0]}, in FINESS ${published[0]}`);
}

function departmentsOf(facts: readonly StructureFacts[]): string[] {
  return facts.flatMap(({ address }) => (address?.parts.postalCode ? [departmentOf(address.parts.postalCode)] : []));
}

function entitiesOf(facts: readonly StructureFacts[]): string[] {
  return facts.map(({ partOf }) => partOf).filter((partOf) => partOf !== '');
}

// The next functions find different structures that have the same identifier in the register of activities. Without this check, they would
// become one Organization.

/**
 * Maximum number of fused structures that are listed as doubtful. Further ones are only counted, so that the list has room for doubts of
 * other kinds.
 */
const LISTED = 200;

function countFused(id: string, activities: readonly StructureFacts[], { consistency, warn, doubt }: Collector): void {
  const [first] = activities;
  const other = first && activities.find((one) => isAnother(one, first));
  const both = other && [first, other].map(described).join(' and ');
  consistency.count('fusedInActivities', both && `${id}: ${both}`);
  if (!both) return;
  if (consistency.all.fusedInActivities.odd > LISTED) warn('fused-in-activities', id);
  else doubt('fused-in-activities', `Organization/${id}`, both);
}

function isAnother(one: StructureFacts, other: StructureFacts): boolean {
  const [here, there] = [one.address?.parts.postalCode, other.address?.parts.postalCode];
  return Boolean(here && there) && here !== there && one.name !== other.name && shareWords(one, other) === false;
}

/** Tells whether the names of two structures have a word in common. Undefined if one of them has no long word. */
function shareWords(one: StructureFacts, other: StructureFacts): boolean | undefined {
  const [some, others] = [wordsOf(one), wordsOf(other)];
  return some.length > 0 && others.length > 0 ? some.some((word) => others.includes(word)) : undefined;
}

function described({ name, address }: StructureFacts): string {
  return `"${name}" in ${address?.parts.postalCode}`;
}

function wordsOf({ name, aliases }: StructureFacts): string[] {
  return [name, ...aliases].flatMap(tokenize).filter((word) => word.length >= LONG_WORD);
}

// The rest of the file compares the values that FINESS and the activities give for one structure. If the values of a FINESS column stand in
// the wrong lines, a structure has the values of another structure, and the comparison shows it.

interface ComparedValue {
  key: 'structurePhones' | 'structureNames' | 'structureTowns';
  has(facts: StructureFacts): boolean;
  agree(some: StructureFacts, others: StructureFacts): boolean;
  text(facts: StructureFacts): string;
}

const VALUES: readonly ComparedValue[] = [
  {
    key: 'structurePhones',
    has: ({ contacts }) => contacts.some(isPhone),
    agree: (some, others) => some.contacts.some((one) => isPhone(one) && others.contacts.some(isSame(one))),
    text: ({ contacts }) => contacts.find(isPhone)?.element.value ?? '',
  },
  {
    key: 'structureNames',
    has: ({ name }) => name !== '',
    agree: (some, others) => some.name === others.name || shareWords(some, others) === true,
    text: ({ name }) => name,
  },
  {
    key: 'structureTowns',
    has: (facts) => townOf(facts) !== '',
    agree: (some, others) => townOf(some) === townOf(others) || plainTown(some) === plainTown(others),
    text: townOf,
  },
];

type Contact = StructureFacts['contacts'][number];

const isPhone = ({ element }: Contact) => element.system === 'phone';
const isSame = (one: Contact) => (other: Contact) => other.identity === one.identity;

function codeOf(facts: StructureFacts | undefined): string {
  return facts?.types[0]?.element.coding?.[0]?.code ?? '';
}

function townOf({ address }: StructureFacts): string {
  return address?.parts.city ?? '';
}

/**
 * Number of letters of a town's name that are compared. Further letters are ignored, because some registers cut names off, and some add the
 * arrondissement.
 */
const TOWN_LETTERS = 12;

function plainTown(facts: StructureFacts): string {
  const town = fold(townOf(facts))
    .replace(/^(saint|st)e?[^a-z]+/, 'st')
    .replace(/\d.*$/, '');
  return town.replace(/[^a-z]/g, '').slice(0, TOWN_LETTERS);
}

/** Maximum number of lines of the activities that are compared for one structure, because a hospital has hundreds of lines. */
const WORDINGS = 8;

function createValueComparison({ consistency, pairs }: Collector) {
  const comparisons = VALUES.map((value) => createComparison(value, pairs));
  const categories = pairs.of('structureCategories');
  return (
    id: string,
    activities: readonly StructureFacts[],
    facts: readonly StructureFacts[],
    origins: readonly Origin[],
  ): void => {
    const at = facts.findIndex(({ source }) => source === 'establishment');
    const [establishment, origin] = [facts[at], origins[at]];
    if (!establishment || !origin) return;
    if (establishment.address?.parts.postalCode) {
      const isBlank = activities.some(({ address }) => !address?.parts.postalCode);
      consistency.count('blankAddresses', isBlank ? id : undefined);
    }
    const [category, sector] = [codeOf(establishment), codeOf(activities[0])];
    if (category !== '' && sector !== '') categories.associated(origin.file, origin.line, category, sector);
    for (const compare of comparisons) compare(id, activities, establishment, origin);
  };
}

/** Returns a function that compares one value of a structure in the activities with the same value in FINESS. */
function createComparison({ key, has, agree, text }: ComparedValue, pairs: Collector['pairs']) {
  const pair = pairs.of(key);
  const strangerAfter = createStrangers<StructureFacts>(1);
  return (
    id: string,
    activities: readonly StructureFacts[],
    establishment: StructureFacts,
    { file, line }: Origin,
  ): void => {
    if (!has(establishment)) return;
    const stated = activities.slice(0, WORDINGS).filter(has);
    const [first] = stated;
    if (!first) return;
    const isOdd = !stated.some((one) => agree(establishment, one));
    pair.judged(file, line, isOdd, () => `${id}: "${text(establishment)}" beside "${text(first)}"`);
    const stranger = strangerAfter(first);
    if (stranger) pair.mixed(file, !agree(establishment, stranger));
  };
}
