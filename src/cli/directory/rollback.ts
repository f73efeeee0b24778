// `directory rollback`: switches between the current and the previous snapshot.

import { operator, recordByOperator } from '../../server/audit/operator-audit.ts';
import { compareAroundSwitch } from '../../server/linked-accounts/linked-accounts.ts';
import { type Work, withCurrentDatabase } from '../../server/open-database.ts';
import { holdsFictionalPeople, refusesFictionalPeople } from '../../server/start/fictional-people.ts';
import { hygie } from '../../shared/hygie-command.ts';
import { Refusal, UsageError } from '../../shared/operator-errors.ts';
import type { Database } from '../../store/database/connection.ts';
import { hasOtherLayout } from '../../store/snapshots/folder.ts';
import { findSnapshot, readPointer, rollBack } from '../../store/snapshots/registry.ts';
import { parseOptions } from '../support/command.ts';

export async function runRollback(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError('directory rollback takes no further words.');
  const run: Work<number> = async (database, settings) => {
    const before = await readPointer(database);
    if (before.previous === undefined) throw new Refusal('There is no directory before the current one to return to.');
    const target = await findSnapshot(database, before.previous);
    if (hasOtherLayout(target, settings.dataFolder))
      throw new Refusal(
        `The snapshot before, ${before.previous}, is of another layout: import the edition again (${hygie('directory import PATH...')}).`,
      );
    if (target?.damagedAt)
      throw new Refusal(
        `The snapshot before, ${before.previous}, was found damaged: import again, or verify it once it is restored.`,
      );
    if (refusesFictionalPeople(settings) && (await holdsFictionalPeople(target, settings)))
      throw new Refusal([
        `The snapshot before, ${before.previous}, holds the fictional people of the demonstration, which production refuses.`,
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
    return 0;
  };
  return withCurrentDatabase(run, { writes: true });
}

async function named(database: Database, id: string | undefined): Promise<string> {
  const entry = id === undefined ? undefined : await findSnapshot(database, id);
  return entry ? `${entry.id} (loaded ${entry.createdAt.toISOString()})` : 'none';
}
