// Decides whether an id now belongs to another person or structure (decision 0067). A doubtful case counts as the same, because a marriage,
// a correction or an empty column must not keep anybody from working.

import { distance } from 'fastest-levenshtein';
import { tokenize } from '#search-index/index.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';

/** Checks whether the record now belongs to another. Facts that one of the two lacks are not compared. */
export function isAnother(before: RecordIdentity, now: RecordIdentity): boolean {
  return isAnotherPerson(before, now) || isAnotherStructure(before, now);
}

/** Two of family name, given names and profession are others. */
function isAnotherPerson(before: RecordIdentity, now: RecordIdentity): boolean {
  // Family name and given names may have been swapped, or one of them moved to the other.
  const whole = [`${before.given ?? ''} ${before.family ?? ''}`, `${now.given ?? ''} ${now.family ?? ''}`] as const;
  if (contains(words(whole[0]), words(whole[1]))) return false;
  const family = differ(before.family, now.family);
  const given = differ(before.given, now.given);
  return (family && given) || ((family || given) && otherProfession(before, now));
}

/** Checks whether both have professions, but none in common. */
export function otherProfession(
  { professions: before = {} }: RecordIdentity,
  { professions: now = {} }: RecordIdentity,
) {
  const codes = Object.keys(before);
  return codes.length > 0 && Object.keys(now).length > 0 && !codes.some((code) => Object.hasOwn(now, code));
}

/**
 * Checks whether a structure is another one: its name differs and it is in another department, or in another town with half of its name's
 * words changed. A FINESS number belongs to one department, and structures that move or merge keep some of their name.
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

/** Overseas departments have three digits. Corsica counts as one department, because its two halves share a prefix. */
function department(postalCode: string): string {
  return postalCode.slice(0, /^9[78]/.test(postalCode) ? 3 : 2);
}

/** Checks whether two names have no word in common, not even nearly: LE GALL is LEGALL, and a typing error does not make another name. */
function differ(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [spellings(before), spellings(now)];
  if (one.length === 0 || other.length === 0) return false;
  return !one.some((word) => other.some((like) => distance(word, like) * 4 <= Math.max(word.length, like.length)));
}

/** The words of a name, and the whole name as one word, because a lost accent or hyphen divides words. */
function spellings(text: string | undefined): string[] {
  return [...words(text), tokenize(text ?? '').join('')].filter(Boolean);
}

/** Checks whether the longer list contains all words of the shorter one. Returns true if one is empty. */
function contains(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.every((word) => long.includes(word));
}

/** Words that many names have. */
const PARTICLES: ReadonlySet<string> = new Set(
  ...['a au aux d da das de del della den der des di do dos du e el en et l la le les of the van von y zu'.split(' ')],
);

/** The distinguishing words of a name: without accents, case and particles. If nothing else is left, all words count. */
function words(text = ''): string[] {
  const all = tokenize(text);
  const telling = all.filter((word) => !PARTICLES.has(word));
  return telling.length > 0 ? telling : all;
}

/** Checks whether two names have the same words, in any order, case, accents and hyphens. */
export function isSameName(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [words(before), words(now)];
  return one.length > 0 && one.length === other.length && contains(one, other);
}
