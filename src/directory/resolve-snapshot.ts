// Resolves the snapshot that a request reads: the current one or, for a later page, the one of the first page.

import type { Snapshot } from '#search-index/index.ts';
import { fhirError, refusalForNow } from './errors.ts';

/**
 * The open snapshots. `store/snapshots/current-snapshot.ts` opens them and notices a switch, `corrections/corrected-snapshots.ts` hides what
 * corrections hide, and `server/open-directory.ts` puts this chain together.
 */
export interface Snapshots {
  /** The snapshot that new searches read; undefined before the first import. */
  current(): Snapshot | undefined;
  /** A snapshot that links still point to; undefined once it is dropped. `id` may be any text. */
  byId(id: string): Promise<Snapshot | undefined>;
  /** Tells whether a later edition than the current one is known, for example after a rollback. */
  overtaken?(): Promise<boolean>;
  /** FHIR instant at which a snapshot was made. It is the date of the CapabilityStatement. */
  createdAt?(id: string): string | undefined;
}

/**
 * @param wanted name of the snapshot that a link belongs to; the current one when absent
 * @throws FhirError 410 when that snapshot is gone, 503 when there is none at all
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
  throw refusalForNow(503, 30, 'No directory is loaded yet: try again later.');
}

/** The key by which answers from a snapshot are kept. It changes when the operator hides something in the snapshot. */
export function stateOf({ id, state = id }: Pick<Snapshot, 'id' | 'state'>): string {
  return state;
}
