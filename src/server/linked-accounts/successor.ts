// Finds the probable successor of an id: another record of the same name that appeared when it disappeared.

import { type Clause, type Snapshot, tokenize } from '#search-index/index.ts';
import type { RecordIdentity, Reference } from '#store/accounts/links/link-changes.ts';
import { identityOf } from './record-identity.ts';
import { isSameName, otherProfession } from './same-record.ts';

/** Maximum records of one name that are compared. With more, none of them is the obvious successor. */
const MOST_NAMESAKES = 50;

/**
 * Id of the only record of the same name that `snapshot` holds and `before` does not. Its profession, or for a structure its postal code,
 * must be the same if both are known. There is none if there are several: a guess among namesakes would be a wrong link.
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
