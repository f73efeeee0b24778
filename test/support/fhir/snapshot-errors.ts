// Validates every resource of a snapshot.

import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '#search-index/snapshot.ts';
import { errorsOfText } from './validate.ts';

export interface SnapshotErrors {
  /** Resources that were validated. */
  counts: Record<ResourceType, number>;
  invalid: number;
  /** An error without the numbers of array items -> how often, and the first resource that has it. */
  errors: Map<string, { count: number; first: string }>;
}

const PAGE = 1000;

/** Validates every resource of the snapshot, one page after the other. */
export async function snapshotErrors(
  snapshot: Snapshot,
  onProgress: (type: ResourceType, done: number) => void = () => {},
): Promise<SnapshotErrors> {
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const errors: SnapshotErrors['errors'] = new Map();
  let invalid = 0;
  for (const type of RESOURCE_TYPES) {
    let after: number | undefined;
    for (let more = true; more; ) {
      const page = await snapshot.search({
        type,
        clauses: [],
        limit: PAGE,
        total: false,
        ...(after === undefined ? {} : { after }),
      });
      for (const { id, json } of page.matches) {
        const found = errorsOfText(json);
        if (found.length > 0) invalid++;
        for (const error of found) {
          const kind = error.replace(/\[\d+\]/g, '[]');
          const known = errors.get(kind);
          if (known) known.count++;
          else errors.set(kind, { count: 1, first: `${type}/${id}` });
        }
      }
      counts[type] += page.matches.length;
      onProgress(type, counts[type]);
      after = page.matches.at(-1)?.position;
      more = page.more;
    }
  }
  return { counts, invalid, errors };
}
