// The guard on files that nobody chose, as in a watched folder.

import { hygie } from '../../shared/hygie-command.ts';
import type { Database } from '../../store/database/connection.ts';
import { listSnapshots, type SnapshotEntry } from '../../store/snapshots/registry.ts';
import { type Verdict, verdict } from './verdict.ts';

/** Nothing that a rollback left. */
export async function guardUnattended(
  checksum: string,
  current: SnapshotEntry | undefined,
  database: Database,
): Promise<Verdict[]> {
  const left = (await listSnapshots(database)).find(
    ({ id, sourcesChecksum, damagedAt }) =>
      id !== current?.id && sourcesChecksum === checksum && damagedAt === undefined,
  );
  return [
    verdict('leftEdition', {
      passed: left === undefined,
      figures: left
        ? `snapshot ${left.id} holds this edition and was left, as by a rollback`
        : 'no earlier snapshot holds this edition',
      remedy: `If this is meant, load it by hand: ${hygie('directory import PATH...')}`,
    }),
  ];
}
