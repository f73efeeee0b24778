// An edition with corrections: the snapshot as the service serves it, and what it has to be.

import type { IndexEntries } from '#directory/corrections/affected.ts';
import { correctedSnapshots } from '#directory/corrections/corrected-snapshots.ts';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import type { IndexedResource, Snapshot } from '#search-index/snapshot.ts';
import { type Correction, type Corrections, hiddenRecords } from '#store/snapshots/corrections.ts';
import { edition } from './edition.ts';

const MADE_AT = new Date('2026-11-20T09:00:00Z');

/** The edition of the tests with index entries as the import makes them, and telephones and nested contacts beside. */
export function indexedEdition(): IndexedResource[] {
  return edition().map(({ resource }) => indexResource(withContacts(resource) as never));
}

function withContacts(resource: IndexedResource['resource']): object {
  const { id, resourceType } = resource;
  const number = Number(/^crowd-(\d+)/.exec(id)?.[1] ?? -1);
  const telecom = [
    ...((resource['telecom'] as object[] | undefined) ?? []),
    ...(id === 'prat-1' || id === 'org-1' ? [{ system: 'phone', value: '+33 1 40 00 00 01' }] : []),
    ...(number % 3 === 0 ? [{ system: 'email', value: `crowd.${number % 5}@mssante.example`, rank: 1 }] : []),
  ];
  if (resourceType === 'PractitionerRole' && number % 4 !== 0) return resource;
  const contact = [
    { purpose: { text: 'secretariat' }, telecom: [{ system: 'phone', value: '0140000001' }] },
    { telecom: [{ system: 'phone', value: '01 40 00 00 01' }] },
  ];
  return {
    ...resource,
    ...(telecom.length > 0 && { telecom }),
    ...(id === 'org-1' && { contact }),
    // No search by words can find it.
    ...(id === 'org-4' && { address: [{ text: '--' }] }),
  };
}

let made = 0;

/** A correction in force, unless `more` ends it. */
export function correction(record: string, what: Correction['what'], value?: string, more = {}): Correction {
  const about = { reason: 'wrong', madeBy: 'operator:ops', madeAt: MADE_AT };
  return { id: ++made, record, what, ...(value !== undefined && { value }), ...about, ...more };
}

export const entriesOf: IndexEntries = (resource) => indexResource(resource as DirectoryResource).index;

export function stateWith(all: readonly Correction[]): Corrections {
  const over = all.filter(({ endedAt }) => endedAt).length;
  return { all, state: `${all.length}.${over}`, hidden: hiddenRecords(all) };
}

/** The snapshot as it is served with these corrections. */
export function corrected(snapshot: Snapshot, all: () => readonly Correction[]): Snapshot {
  const snapshots = { current: () => snapshot, byId: async () => snapshot };
  return correctedSnapshots(snapshots, () => stateWith(all()), entriesOf).current();
}
