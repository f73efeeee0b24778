// `directory rollback`: checks the previous snapshot and switches to it. `rollBack` in `store/snapshots/registry.ts` exchanges the current
// snapshot and the previous one. Serving processes notice the exchange in `store/snapshots/current-snapshot.ts`.

import { join } from 'node:path';
import { action } from '#cli/support/command.ts';
import { JSON_OPTION } from '#cli/support/output.ts';
import { checksumOfFile } from '#search-index/index.ts';
import { operator, recordByOperator } from '#server/audit/operator-audit.ts';
import { compareAroundSwitch } from '#server/linked-accounts/linked-accounts.ts';
import { type Work, withCurrentDatabase } from '#server/open-database.ts';
import { holdsFictionalPeople, refusesFictionalPeople } from '#server/start/fictional-people.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { hasOtherLayout, lacksFile, snapshotFolder } from '#store/snapshots/folder.ts';
import { findSnapshot, readPointer, rollBack, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { fetchFile } from './distributed-file.ts';

export const rollbackAction = action({
  summary: 'Switches between the current and the previous snapshot; a second rollback switches back',
  options: { json: JSON_OPTION },
  text: 'If the file of the previous snapshot is not on this machine, the command fetches it from the database. Production never switches to the fictional people of the demonstration.',
  run: rollback,
});

async function rollback(values: { json?: boolean | undefined }): Promise<void> {
  const run: Work<void> = async (database, settings) => {
    const before = await readPointer(database);
    if (before.previous === undefined) throw new Refusal('There is no previous snapshot to switch to.');
    const target = await findSnapshot(database, before.previous);
    if (target) await fetchFile(database, settings, target);
    if (!target || lacksFile(target, settings.dataFolder))
      throw new Refusal([
        `The file of the previous snapshot, ${before.previous}, is not in ${snapshotFolder(settings.dataFolder)}: it was not restored, or was removed.`,
        `Remedy: put ${target?.file ?? 'it'} back there from a backup made with --with-directory (or run this command where it is), or import the edition again: ${hygie('directory import PATH...')}`,
      ]);
    if (hasOtherLayout(target, settings.dataFolder))
      throw new Refusal(
        `The previous snapshot, ${before.previous}, is of another layout: import the edition again (${hygie('directory import PATH...')}).`,
      );
    if (target.damagedAt || (await isChanged(target, settings.dataFolder)))
      throw new Refusal(
        `The previous snapshot, ${before.previous}, was found damaged: import the edition again, or put its file back from a backup and run ${hygie`directory verify ${before.previous}`}`,
      );
    if (refusesFictionalPeople(settings) && (await holdsFictionalPeople(target, settings)))
      throw new Refusal([
        `The previous snapshot, ${before.previous}, holds the fictional people of the demonstration, which production refuses.`,
        `Remedy: import the registers of the day that is meant: ${hygie('directory import PATH...')}`,
      ]);
    const switchTo = { from: await findSnapshot(database, before.current ?? ''), to: target };
    const { current, previous } = await compareAroundSwitch(database, settings, operator(), switchTo, () =>
      rollBack(database),
    );
    await recordByOperator(database, settings.keys, [
      { event: 'directory.rolled-back', details: { current, previous } },
    ]);
    const text = [
      `Switched: ${await named(database, current)} is current now, ${await named(database, previous)} is previous.`,
      'A second rollback switches back.',
    ].join('\n');
    process.stdout.write(values.json ? `${JSON.stringify({ current, previous })}\n` : `${text}\n`);
  };
  return withCurrentDatabase(run, { writes: true });
}

/**
 * Checks whether the file of a snapshot differs from the one that the import wrote. Returns false for a snapshot of an early release, which
 * has no checksum to compare with.
 */
async function isChanged({ file, checksum }: SnapshotEntry, dataFolder: string): Promise<boolean> {
  const path = join(snapshotFolder(dataFolder), file);
  return checksum !== undefined && (await checksumOfFile(path)) !== checksum;
}

async function named(database: Database, id: string | undefined): Promise<string> {
  const entry = id === undefined ? undefined : await findSnapshot(database, id);
  return entry ? `${entry.id} (imported ${entry.createdAt.toISOString()})` : 'none';
}
