// Chooses the snapshot that a request reads. This is the current snapshot, except for a later page of a search, which reads the snapshot of
// the first page.

import type { Snapshot } from '#search-index/index.ts';
import { fhirError, refusalForNow } from './errors.ts';

/**
 * Gives the open snapshots. `store/snapshots/current-snapshot.ts` opens them and notices when another snapshot becomes the current one.
 * If there are corrections, `corrections/corrected-snapshots.ts` wraps each snapshot, so that it leaves out what the operator has hidden.
 * `server/open-directory.ts` connects the two files.
 */
export interface Snapshots {
  /** The snapshot that new searches read; undefined before the first import. */
  current(): Snapshot | undefined;
  /**
   * The snapshot with this id; undefined if the snapshot was removed. The id comes from a link that a client sent, so it may be any text.
   */
  byId(id: string): Promise<Snapshot | undefined>;
  /** Checks whether a newer edition than the current one exists, for example after a rollback. */
  overtaken?(): Promise<boolean>;
  /** FHIR instant at which the snapshot was made. The CapabilityStatement has this instant as its `date`. */
  createdAt?(id: string): string | undefined;
}

/**
 * Chooses the snapshot of a request.
 * @param wanted id of the snapshot that a link names; the current snapshot if absent
 * @throws FhirError 410 if that snapshot was removed, 503 if there is no snapshot
 */
export async function resolveSnapshot(snapshots: Snapshots, wanted?: string): Promise<Snapshot> {
  const current = snapshots.current();
  if (wanted !== undefined && wanted !== current?.id) {
    const kept = await snapshots.byId(wanted);
    if (kept) return kept;
    throw fhirError(410, 'not-found', 'The edition of the directory that this page belongs to is gone: search anew.', {
      parameter: '_page',
    });
  }
  if (current) return current;
  throw refusalForNow(503, 30, 'No edition of the directory is in service yet: try again later.');
}

/** The key under which responses from a snapshot are cached. When a correction changes the served resources, the key changes as well. */
export function stateOf({ id, state = id }: Pick<Snapshot, 'id' | 'state'>): string {
  return state;
}
