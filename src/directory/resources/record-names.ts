// Looks up names in the directory for the sign-in half of the service: names of people for claims, and labels of records for pages. A label
// consists of the name, the profession, the best known number (RPPS, FINESS or SIRET), and the town.

import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Address, CodeableConcept, HumanName, Identifier } from 'fhir/r3.js';
import { LRUCache } from 'lru-cache';
import { stateOf } from '#directory/resolve-snapshot.ts';
import type { Snapshot } from '#search-index/index.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import type { PersonNames } from '#shared/names.ts';
import type { LabelInDirectory, RecordLabel } from '#web/forms/workspace-list.ts';

/** The names of at most this number of people are kept in memory. One person's names take up to 200 bytes, so all names take some 2 MB. */
const MOST_REMEMBERED = 10_000;

/**
 * Milliseconds that a sign-in waits for names. This is long enough, because a record is read in a few milliseconds, even from the disk,
 * unless many searches are waiting.
 */
const WITHIN = 200;

type Named = Pick<Snapshot, 'id' | 'state' | 'read'>;

/**
 * Makes a function that returns the given and family name of a person. It gets the ids of the Practitioner resources of the person, and
 * takes the names of the first one that has any in the current edition. It returns undefined if none of them has names, or if the directory
 * does not answer within `within` milliseconds. The names of a person are read once for each edition, so that tokens and userinfo do not
 * wait for the disk. Names that arrive too late are kept for the next request.
 */
export function createPersonNames(
  snapshots: { current(): Named | undefined },
  { most = MOST_REMEMBERED, within = WITHIN } = {},
) {
  const remembered = new LRUCache<string, { names?: PersonNames }, { snapshot: Named; id: string }>({
    ...entriesAtMost(most),
    fetchMethod: (_key, _stale, { context: { snapshot, id } }) => readPersonNames(snapshot, id),
    ignoreFetchAbort: true,
  });

  return async (practitioners: readonly string[]): Promise<PersonNames | undefined> => {
    const snapshot = snapshots.current();
    if (!snapshot) return undefined;
    let late: Promise<typeof LATE> | undefined;
    for (const id of practitioners) {
      const key = `${stateOf(snapshot)} ${id}`;
      let known = remembered.get(key);
      if (!known) {
        late ??= lateAfter(within);
        const read = await Promise.race([
          remembered.fetch(key, { context: { snapshot, id } }).catch(() => undefined),
          late,
        ]);
        // After a timeout, the person's next Practitioner resource is not read. If it were, the names in a token would depend on how busy
        // the service is.
        if (read === LATE) return undefined;
        known = read;
      }
      if (known?.names) return known.names;
    }
    return undefined;
  };
}

const LATE = Symbol('late');

async function lateAfter(milliseconds: number): Promise<typeof LATE> {
  await setTimeout(milliseconds, undefined, { ref: false });
  // If the event loop was busy, the timer and the directory's answer may be due at the same moment. `setImmediate` lets the answer come
  // first.
  return setImmediate(LATE);
}

async function readPersonNames(snapshot: Pick<Snapshot, 'read'>, id: string): Promise<{ names?: PersonNames }> {
  const found = await snapshot.read('Practitioner', id);
  const { name = [] } = JSON.parse(found?.json ?? '{}') as { name?: HumanName[] };
  const { given = [], family } = name.find(({ use }) => use === 'official') ?? name[0] ?? {};
  const names = { ...(given.length > 0 && { given: given.join(' ') }), ...(family && { family }) };
  return Object.keys(names).length > 0 ? { names } : {};
}

interface Labelled {
  name?: string | HumanName[];
  identifier?: Identifier[];
  address?: Address[];
  qualification?: { code: CodeableConcept }[];
}

/**
 * Code systems of a person's profession. The systems of diplomas and permits are left out, because they do not say what the person works
 * as.
 */
const WORK = /(ProfessionSante|SpecialiteOrdinale)$/;

const SIRET = /^\d{14}$/;

/** Identifiers that people know, the best known first. SIREN numbers and internal numbers are left out. */
const NUMBERS: readonly (readonly [name: string, system: string, form?: RegExp])[] = [
  ['RPPS', IDENTIFIER_SYSTEMS.rpps],
  ['FINESS', IDENTIFIER_SYSTEMS.finess],
  ['SIRET', IDENTIFIER_SYSTEMS.sirene, SIRET],
];

/**
 * Makes a function that returns the label of a record in the current edition. The label is empty if there is no such record, or if the
 * directory cannot be read.
 */
export function createRecordLabels(snapshots: { current(): Pick<Snapshot, 'read'> | undefined }): LabelInDirectory {
  return async (type, id) => {
    // An error gives an empty label, because the page has other data to show.
    const found = await snapshots
      .current()
      ?.read(type, id)
      .catch(() => undefined);
    return found ? labelOf(JSON.parse(found.json) as Labelled) : {};
  };
}

function labelOf({ name, identifier = [], address = [], qualification = [] }: Labelled): RecordLabel {
  const inFull = typeof name === 'string' ? name : name?.[0] && inWords(name[0]);
  const number = numberOf(identifier);
  const town = [address[0]?.postalCode, address[0]?.city].filter(Boolean).join(' ');
  const codings = qualification.flatMap(({ code }) => code.coding ?? []);
  const known = codings.flatMap(({ system = '', display }) => (display && WORK.test(system) ? [display] : []));
  const work = [...new Set(known)].join(', ');
  return { ...(inFull && { name: inFull }), ...(work && { work }), ...(number && { number }), ...(town && { town }) };
}

function numberOf(identifiers: readonly Identifier[]): string | undefined {
  for (const [name, known, form = /./] of NUMBERS) {
    const found = identifiers.find(({ system, value = '' }) => system === known && form.test(value));
    if (found) return `${name} ${found.value}`;
  }
  return undefined;
}

function inWords({ prefix = [], given = [], family = '' }: HumanName): string {
  return [...prefix, ...given, family].filter((part) => part !== '').join(' ');
}
