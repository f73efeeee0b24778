// Owns the validation of all that a snapshot holds. Does not own the validators (`validate.ts`).

import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '../../../src/search-index/snapshot.ts';
import { faultsOfText } from './validate.ts';

export interface SnapshotFaults {
  /** Resources that were validated. */
  counts: Record<ResourceType, number>;
  faulty: number;
  /** A fault without the numbers of array items -> how often, and the first resource that has it. */
  faults: Map<string, { count: number; first: string }>;
}

const PAGE = 1000;

/** Validates every resource of the snapshot, one page after the other. */
export async function snapshotFaults(
  snapshot: Snapshot,
  onProgress: (type: ResourceType, done: number) => void = () => {},
): Promise<SnapshotFaults> {
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const faults: SnapshotFaults['faults'] = new Map();
  let faulty = 0;
  for (const type of RESOURCE_TYPES) {
    let after: number | undefined;
    for (let more = true; more; ) {
      const page = await snapshot.search({
        ...{ type, clauses: [], limit: PAGE, total: false },
        ...(after === undefined ? {} : { after }),
      });
      for (const { id, json } of page.matches) {
        const found = faultsOfText(json);
        if (found.length > 0) faulty++;
        for (const fault of found) {
          const kind = fault.replace(/\[\d+\]/g, '[]');
          const known = faults.get(kind);
          if (known) known.count++;
          else faults.set(kind, { count: 1, first: `${type}/${id}` });
        }
      }
      counts[type] += page.matches.length;
      onProgress(type, counts[type]);
      after = page.matches.at(-1)?.position;
      more = page.more;
    }
  }
  return { counts, faulty, faults };
}
