// Decides whether an id now belongs to another person or structure (decision 0067). In doubt, the id is taken to belong to the same one as
// before, because a marriage, a correction or an empty column must not keep anybody from working. Also finds the probable successor of an
// id that is gone: another record of the same name that appeared in the same edition.

import { distance } from 'fastest-levenshtein';
import type { Organization, Practitioner } from 'fhir/r3.js';
import { CODE_SYSTEMS } from '#import/mapping/code-systems.ts';
import { type Clause, type Snapshot, tokenize } from '#search-index/index.ts';
import type { RecordIdentity, Reference } from '#store/accounts/links/link-changes.ts';

/** Checks whether the record now belongs to another person or structure. Facts that one of the two records lacks are not compared. */
export function isAnother(before: RecordIdentity, now: RecordIdentity): boolean {
  return isAnotherPerson(before, now) || isAnotherStructure(before, now);
}

/** Checks whether at least two of these three facts differ: family name, given names, profession. */
function isAnotherPerson(before: RecordIdentity, now: RecordIdentity): boolean {
  // All names are compared together first, because family name and given names may have been swapped, or a part of one moved to the other.
  const whole = [`${before.given ?? ''} ${before.family ?? ''}`, `${now.given ?? ''} ${now.family ?? ''}`] as const;
  if (contains(words(whole[0]), words(whole[1]))) return false;
  const family = differ(before.family, now.family);
  const given = differ(before.given, now.given);
  return (family && given) || ((family || given) && otherProfession(before, now));
}

/** Checks whether both records have professions, but no profession in common. */
function otherProfession({ professions: before = {} }: RecordIdentity, { professions: now = {} }: RecordIdentity) {
  const codes = Object.keys(before);
  return codes.length > 0 && Object.keys(now).length > 0 && !codes.some((code) => Object.hasOwn(now, code));
}

/**
 * Checks whether a structure is another one. With the same postal code, it is always the same. In another department, it is another one if
 * its name differs, because a FINESS number belongs to one department. Elsewhere in the same department, it is another one only if at least
 * half of the words of its name differ, because structures that move or merge keep some of their name.
 */
function isAnotherStructure(before: RecordIdentity, now: RecordIdentity): boolean {
  if (!before.name || !now.name || !before.postalCode || !now.postalCode) return false;
  if (before.postalCode === now.postalCode) return false;
  const [one, other] = [words(before.name), words(now.name)];
  if (contains(one, other)) return false;
  if (department(before.postalCode) !== department(now.postalCode)) return true;
  const common = one.filter((word) => other.includes(word)).length;
  return common * 2 <= Math.min(one.length, other.length);
}

/**
 * Returns the digits of the department, which are three overseas. Corsica is treated as one department, because its two halves share a
 * prefix.
 */
function department(postalCode: string): string {
  return postalCode.slice(0, /^9[78]/.test(postalCode) ? 3 : 2);
}

/**
 * Checks whether two names differ in every word. Similar words are treated as equal, because LE GALL is LEGALL, and a typing error does not
 * make another name.
 */
function differ(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [spellings(before), spellings(now)];
  if (one.length === 0 || other.length === 0) return false;
  return !one.some((word) => other.some((like) => distance(word, like) * 4 <= Math.max(word.length, like.length)));
}

/** Returns the words of a name, and the whole name as one word, because a lost accent or hyphen may have divided a word. */
function spellings(text: string | undefined): string[] {
  return [...words(text), tokenize(text ?? '').join('')].filter(Boolean);
}

/** Checks whether the longer list contains all words of the shorter one. Returns true if one list is empty. */
function contains(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.every((word) => long.includes(word));
}

/** Words that so many names have that they do not help to tell names apart. */
const PARTICLES: ReadonlySet<string> = new Set(
  ...['a au aux d da das de del della den der des di do dos du e el en et l la le les of the van von y zu'.split(' ')],
);

/**
 * Returns the distinguishing words of a name, without accents and in lower case. Particles are left out, except in a name that has nothing
 * else.
 */
function words(text = ''): string[] {
  const all = tokenize(text);
  const telling = all.filter((word) => !PARTICLES.has(word));
  return telling.length > 0 ? telling : all;
}

/** Checks whether two names have the same words, whatever their order, case, accents and hyphens. */
function isSameName(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [words(before), words(now)];
  return one.length > 0 && one.length === other.length && contains(one, other);
}

/**
 * Reads the facts about a person or structure from the JSON text of a Practitioner or an Organization. A fact that the resource lacks is
 * absent.
 */
export function identityOf(json: string): RecordIdentity {
  const resource = JSON.parse(json) as Practitioner | Organization;
  return resource.resourceType === 'Organization' ? structure(resource) : person(resource);
}

function person({ name = [], qualification = [] }: Practitioner): RecordIdentity {
  const { given = [], family } = name.find(({ use }) => use === 'official') ?? name[0] ?? {};
  const names = given.filter(Boolean).join(' ');
  const codings = qualification.flatMap(({ code }) => code.coding ?? []);
  const professions = codings.flatMap(({ system, code, display = '' }) =>
    system === CODE_SYSTEMS.profession && code !== undefined ? [[code, display]] : [],
  );
  return {
    ...(names && { given: names }),
    ...(family && { family }),
    ...(professions.length > 0 && { professions: Object.fromEntries(professions) }),
  };
}

function structure({ name, address = [] }: Organization): RecordIdentity {
  const postalCode = address.find((one) => one.postalCode)?.postalCode;
  return { ...(name && { name }), ...(postalCode !== undefined && { postalCode }) };
}

/** Describes a record, for example `Jeanne MARTIN, Médecin` or `CH DE LYON, 69003`. Returns an empty text if no fact is known. */
export function identityText({ given, family, professions = {}, name, postalCode }: RecordIdentity): string {
  const called = [given, family, name].filter(Boolean).join(' ');
  const more = [...Object.entries(professions).map(([code, label]) => label || code), postalCode];
  return [called, ...more].filter(Boolean).join(', ');
}

/** Maximum number of records of one name that are compared. If there are more, none of them is the obvious successor. */
const MOST_NAMESAKES = 50;

/**
 * Returns the id of the only record of the same name that is in `snapshot` and not in `before`. The records of a structure must have the
 * same postal code. The records of a person must have a profession in common, if both name any. If several records fit, returns undefined,
 * because a guess among namesakes could make a wrong link.
 */
export async function findSuccessor(
  reference: Reference,
  known: RecordIdentity,
  { snapshot, before }: { snapshot: Snapshot; before: Snapshot },
): Promise<string | undefined> {
  const type = reference.startsWith('Practitioner/') ? 'Practitioner' : 'Organization';
  const clauses = type === 'Practitioner' ? clausesOfPerson(known) : clausesOfStructure(known);
  if (!clauses) return undefined;
  const { matches, more } = await snapshot.search({ type, clauses, limit: MOST_NAMESAKES, total: false });
  if (more) return undefined;
  const successors: string[] = [];
  for (const { id, json } of matches) {
    if (isSuccessor(known, identityOf(json)) && !(await before.read(type, id))) successors.push(id);
  }
  return successors.length === 1 ? successors[0] : undefined;
}

function clausesOfPerson({ given, family }: RecordIdentity): Clause[] | undefined {
  return given && family ? [wordsOf('family', family), wordsOf('given', given)] : undefined;
}

function clausesOfStructure({ name, postalCode }: RecordIdentity): Clause[] | undefined {
  return name && postalCode ? [wordsOf('name', name), wordsOf('address-postalcode', postalCode)] : undefined;
}

function wordsOf(field: string, text: string): Clause {
  return { field, match: 'words', anyOf: [tokenize(text).map((word) => ({ whole: [word] }))] };
}

function isSuccessor(known: RecordIdentity, { given, family, name, ...now }: RecordIdentity): boolean {
  if (known.name) return isSameName(known.name, name) && known.postalCode === now.postalCode;
  return isSameName(known.family, family) && isSameName(known.given, given) && !otherProfession(known, now);
}
