// Guards on a finished snapshot: it must answer searches, and its people must be ones that may be served.

import type { Practitioner } from 'fhir/r3.js';
import type { DoubtfulResource } from '#import/collect/collector.ts';
import { type IndexedResource, openSnapshot, type Snapshot, tokenize } from '#search-index/index.ts';
import { printable } from '#shared/log/printable.ts';
import { type Verdict, verdict } from './verdict.ts';

/** Searches the finished snapshot for some resources of the edition, by id, identifier and name. */
async function guardCanaries(snapshot: Snapshot, canaries: readonly IndexedResource[]): Promise<Verdict> {
  const lost: string[] = [];
  for (const { type, id, index } of canaries) {
    const names = (index['name'] ?? [])
      .slice(0, 1)
      .map((name) => tokenize(name).map((prefix) => ({ prefix, whole: [] })))
      .filter((words) => words.length > 0);
    const identifiers = (index['identifier'] ?? []).slice(0, 1);
    const found = await snapshot.search({
      type,
      clauses: [
        // The search includes the id, because resources that came as FHIR may share a name and even an identifier.
        { field: 'id', match: 'exact', anyOf: [id] },
        ...(identifiers.length > 0 ? [{ field: 'identifier', match: 'exact', anyOf: identifiers } as const] : []),
        ...(names.length > 0 ? [{ field: 'name', match: 'words', anyOf: names } as const] : []),
      ],
      limit: 10,
      total: false,
    });
    const read = await snapshot.read(type, id);
    if (!found.matches.some((match) => match.id === id) || !read) lost.push(`${type}/${id}`);
  }
  return verdict('canaries', {
    passed: lost.length === 0,
    figures: `${canaries.length - lost.length} of ${canaries.length} sample resources found again${lost.length > 0 ? `; lost: ${lost.slice(0, 5).join(', ')}` : ''}`,
  });
}

/** Explains why the people of a directory must not be served. Undefined if they may be served. */
export type PeopleCheck = (snapshot: Snapshot) => Promise<string | undefined>;

/** Returns a verdict only if the people must not be served. */
export async function guardPeople(snapshot: Snapshot, checkPeople: PeopleCheck): Promise<Verdict[]> {
  const figures = await checkPeople(snapshot);
  return figures === undefined ? [] : [verdict('people', { passed: false, figures })];
}

/** Maximum number of mailboxes with another person's name that are looked up. */
const LOOKED_UP = 200;

/** Adds the id and name of that other person to each such mailbox. Letters to the mailbox may reach this person. */
async function nameOthers(snapshot: Snapshot, doubtful: readonly DoubtfulResource[]): Promise<void> {
  const ofOthers = doubtful.filter(({ kind }) => kind === 'mailbox-of-another').slice(0, LOOKED_UP);
  for (const one of ofOthers) {
    const [, local = ''] = /^"([^"@]*)@/.exec(one.reason) ?? [];
    const words = tokenize(local).filter((word) => /^\p{L}{2,}$/u.test(word));
    if (words.length < 2) continue;
    const anyOf = [words.map((prefix) => ({ prefix, whole: [] }))];
    const clauses = [{ field: 'name', match: 'words', anyOf } as const];
    const { matches } = await snapshot.search({ type: 'Practitioner', clauses, limit: 2, total: false });
    const other = matches.find(({ id }) => `Practitioner/${id}` !== one.reference);
    one.reason += other ? `; Practitioner/${other.id} is ${nameIn(other.json)}` : '; nobody has that name';
  }
}

/** Returns the name of a practitioner in its JSON: `"MARTIN Jeanne"`. */
function nameIn(json: string): string {
  const { name: [{ family = '', given = [] } = {}] = [] }: Practitioner = JSON.parse(json);
  return `"${printable([family, ...given].join(' '))}"`;
}

/** Runs these guards on a finished snapshot, and adds the names of other people to the mailboxes. */
export async function checkFinished(
  file: string,
  { canaries, doubtful }: { canaries: readonly IndexedResource[]; doubtful: readonly DoubtfulResource[] },
  checkPeople: PeopleCheck,
): Promise<Verdict[]> {
  await using snapshot = await openSnapshot(file);
  await nameOthers(snapshot, doubtful);
  return [await guardCanaries(snapshot, canaries), ...(await guardPeople(snapshot, checkPeople))];
}
