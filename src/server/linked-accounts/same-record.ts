// Decides whether an id belongs to another person or structure than before: decision 0067. Doubt counts as the same, because a
// marriage, a correction or an empty column must not keep anybody from working.

import { distance } from 'fastest-levenshtein';
import { tokenize } from '#search-index/index.ts';
import type { RecordIdentity } from '#store/accounts/links/link-changes.ts';

/** Whether the record is another's now. What one of the two does not say is not compared. */
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

/** Whether both have professions, and none in common. */
export function otherProfession(
  { professions: before = {} }: RecordIdentity,
  { professions: now = {} }: RecordIdentity,
) {
  const codes = Object.keys(before);
  return codes.length > 0 && Object.keys(now).length > 0 && !codes.some((code) => Object.hasOwn(now, code));
}

/**
 * Its name is another one, and it stands in another department; or in another town, with half of its name's words others. A FINESS
 * number belongs to one department, and structures that move or merge keep some of their name.
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

/** Overseas the first three digits. Corsica is one: its two halves share a prefix. */
function department(postalCode: string): string {
  return postalCode.slice(0, /^9[78]/.test(postalCode) ? 3 : 2);
}

/** Whether two names have no word in common, not even nearly: LE GALL is LEGALL, and a slip of the pen no other name. */
function differ(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [spellings(before), spellings(now)];
  if (one.length === 0 || other.length === 0) return false;
  return !one.some((word) => other.some((like) => distance(word, like) * 4 <= Math.max(word.length, like.length)));
}

/** The words of a name, and all of it as one word: a lost accent or hyphen divides words. */
function spellings(text: string | undefined): string[] {
  return [...words(text), tokenize(text ?? '').join('')].filter(Boolean);
}

/** Whether all words of the shorter one are in the other; true where one has none. */
function contains(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.every((word) => long.includes(word));
}

/** Words that many names have. */
const PARTICLES: ReadonlySet<string> = new Set(
  ...['a au aux d da das de del della den der des di do dos du e el en et l la le les of the van von y zu'.split(' ')],
);

/** The words that tell a name from others: without accents, case and particles; all of it where there is nothing else. */
function words(text = ''): string[] {
  const all = tokenize(text);
  const telling = all.filter((word) => !PARTICLES.has(word));
  return telling.length > 0 ? telling : all;
}

/** Whether two names have the same words, whatever their order, case, accents and hyphens. */
export function isSameName(before: string | undefined, now: string | undefined): boolean {
  const [one, other] = [words(before), words(now)];
  return one.length > 0 && one.length === other.length && contains(one, other);
}
