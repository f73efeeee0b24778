// Guards on files that nobody chose, as in a watched folder.

import { hygie } from '../../shared/hygie-command.ts';
import type { Database } from '../../store/database/connection.ts';
import { listSnapshots, type SnapshotEntry } from '../../store/snapshots/registry.ts';
import { ImportError } from '../import-error.ts';
import { editionsOf, type Source } from '../sources/sources.ts';
import { type Verdict, verdict } from './verdict.ts';

/** For files that nobody chose: several of one register must bear dates, or today's could be mixed with yesterday's. */
export function refuseUndated(sources: readonly Source[]): void {
  for (const { input, recognised } of sources) {
    if (recognised.binding === undefined || recognised.edition !== undefined) continue;
    const other = sources.find((source) => source.recognised.kind === recognised.kind && source.input !== input);
    if (!other) continue;
    throw new ImportError(
      { file: input.name },
      `is of the same register as ${other.input.name}, and which is newer is unclear: its name has no date.`,
      'Leave one of them, or name them as they are published (..._YYYYMMDDhhmm.txt).',
    );
  }
}

/** For files that nobody chose, as in a watched folder: nothing older than the directory, and nothing that a rollback left. */
export async function guardUnattended(
  sources: readonly Source[],
  checksum: string,
  current: SnapshotEntry | undefined,
  database: Database,
): Promise<Verdict[]> {
  const older = Object.entries(editionsOf(sources)).flatMap(([register, { date }]) => {
    const loaded = current?.editions[register]?.date;
    return date !== undefined && loaded !== undefined && date < loaded
      ? [`${register}: ${date}, loaded ${loaded}`]
      : [];
  });
  const left = (await listSnapshots(database)).find(
    ({ id, sourcesChecksum, damagedAt }) =>
      id !== current?.id && sourcesChecksum === checksum && damagedAt === undefined,
  );
  const byHand = `If this is meant, load it by hand: ${hygie('directory import PATH...')}`;
  return [
    verdict('olderEdition', {
      passed: older.length === 0,
      figures: older.length === 0 ? 'no register is older than the directory' : older.join('; '),
      remedy: byHand,
    }),
    verdict('leftEdition', {
      passed: left === undefined,
      figures: left
        ? `snapshot ${left.id} holds this edition and was left, as by a rollback`
        : 'no earlier snapshot holds this edition',
      remedy: byHand,
    }),
  ];
}
