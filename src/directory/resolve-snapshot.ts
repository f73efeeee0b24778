// Chooses the snapshot that a request reads. It is the current one; for a later page of a search it is the snapshot of the first page.

import type { Snapshot } from '#search-index/index.ts';
import { fhirError, refusalForNow } from './errors.ts';

/**
 * Gives the open snapshots. `store/snapshots/current-snapshot.ts` opens them and notices when the current one changes.
 * `corrections/corrected-snapshots.ts` wraps them to hide what corrections hide. `server/open-directory.ts` connects the two.
 */
export interface Snapshots {
  /** The snapshot that new searches read; undefined before the first import. */
  current(): Snapshot | undefined;
  /** The snapshot with this id, which links may name; undefined if it was removed. `id` may be any text. */
  byId(id: string): Promise<Snapshot | undefined>;
  /** Checks whether an edition later than the current one is known, for example after a rollback. */
  overtaken?(): Promise<boolean>;
  /** FHIR instant at which a snapshot was made. The CapabilityStatement shows it as its date. */
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

/** The key under which answers from a snapshot are cached. It changes when a correction changes what is served. */
export function stateOf({ id, state = id }: Pick<Snapshot, 'id' | 'state'>): string {
  return state;
}
