// Guards on a finished snapshot. Searches must find its resources, and production must not serve the fictional people of the demonstration.

import type { Practitioner } from 'fhir/r3.js';
import type { DoubtfulResource } from '#import/collect/collector.ts';
import { type IndexedResource, openSnapshot, type Snapshot, tokenize } from '#search-index/index.ts';
import { printable } from '#shared/log/printable.ts';
import { type Verdict, verdict } from './verdict.ts';

/**
 * Checks that the index works: searches the finished snapshot for sample resources of the edition, each by its id, identifier and name, and
 * reads them.
 */
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
        // The id is among the conditions, because resources from FHIR files may share a name and even an identifier.
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

/** Returns the reason why the people of this snapshot must not be served, or undefined if they may be served. */
export type PeopleCheck = (snapshot: Snapshot) => Promise<string | undefined>;

/** If the people must not be served, returns a failed verdict. Otherwise returns no verdict. */
export async function guardPeople(snapshot: Snapshot, checkPeople: PeopleCheck): Promise<Verdict[]> {
  const figures = await checkPeople(snapshot);
  return figures === undefined ? [] : [verdict('people', { passed: false, figures })];
}

/** Maximum number of mailboxes for which the snapshot is searched for another owner. Each mailbox takes a search. */
const LOOKED_UP = 200;

/**
 * If the address of a mailbox has the name of somebody else, searches for a person with that name. Adds the id and name of that person to
 * the reason of the doubt, because letters to the mailbox may reach that person.
 */
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

/** Returns the printable name of the practitioner that `json` holds, in quotes: `"MARTIN Jeanne"`. */
function nameIn(json: string): string {
  const { name: [{ family = '', given = [] } = {}] = [] }: Practitioner = JSON.parse(json);
  return `"${printable([family, ...given].join(' '))}"`;
}

/**
 * Runs the guards of this file on a finished snapshot. For mailboxes with another person's name, also adds that person to the reason of the
 * doubt.
 */
export async function checkFinished(
  file: string,
  { canaries, doubtful }: { canaries: readonly IndexedResource[]; doubtful: readonly DoubtfulResource[] },
  checkPeople: PeopleCheck,
): Promise<Verdict[]> {
  await using snapshot = await openSnapshot(file);
  await nameOthers(snapshot, doubtful);
  return [await guardCanaries(snapshot, canaries), ...(await guardPeople(snapshot, checkPeople))];
}
