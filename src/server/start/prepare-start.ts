// Prepares the data at each start, before the service listens: migrations, and the fictional people and directory of a demonstration. Then
// `secure-keys.ts` makes the keys that are missing.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '#config/settings.ts';
import { ImportAlreadyRunning } from '#import/collect/import-error.ts';
import { refuseUnfinishedRestore } from '#server/backup/unfinished-restore.ts';
import { openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import { keepPrivate } from '#server/private-data-folder.ts';
import type { Logger } from '#shared/log/log.ts';
import { hygie } from '#shared/operator-messages.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import type { Database } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { hasOtherLayout } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { awaitDatabase, preparePooler } from './connect-database.ts';
import { keepSandboxApart } from './fictional-people.ts';

const SEEDS = join(import.meta.dirname, '..', '..', '..', 'seeds');

/**
 * Maximum attempts to load the directory while another instance is loading it, and milliseconds between two attempts. Together they take a
 * minute.
 */
const LOAD_TRIES = 120;
const LOAD_PAUSE = 500;

/** Tells whether there is a directory, and whether there are accounts. If one of them is missing, the operator must provide it. */
export interface StartState {
  directory: boolean;
  accounts: boolean;
}

/** Migrates the database. Fills an empty demonstration with its directory and its accounts. Throws the `Refusal` of `keepSandboxApart`. */
export async function prepareStart(
  settings: Settings,
  log: Logger,
  stopRequested?: Promise<unknown>,
): Promise<StartState> {
  refuseUnfinishedRestore(settings.dataFolder);
  await awaitDatabase(settings, log, stopRequested);
  return withOpenDatabase(settings, async (database) => {
    keepPrivate(settings, (line) => log.warn(line));
    await preparePooler(database, settings.database, log);
    const applied = await migrate(database, (reason) => log.warn(reason));
    if (applied.length > 0) log.info({ migrations: applied }, 'the database has the newest schema');
    await keepSandboxApart(database, settings);
    if (settings.demo) await fillDemonstration(database, settings, log);
    return {
      directory: !(await lacksDirectory(database, settings)),
      accounts: (await openAccounts(database).count()) > 0,
    };
  });
}

const OTHER_LAYOUT =
  'the directory has another layout, and was not made from the files of the demonstration: its index is rebuilt if an earlier release made it, ' +
  `otherwise import its edition again (${hygie('directory import PATH...')})`;

// Checks whether there is no directory that can be served. A snapshot with the layout of another release cannot be served.
async function lacksDirectory(database: Database, { dataFolder }: Settings): Promise<boolean> {
  const current = await findCurrentSnapshot(database);
  return current === undefined || hasOtherLayout(current, dataFolder);
}

async function fillDemonstration(database: Database, settings: Settings, log: Logger): Promise<void> {
  for (let tries = 1; await lacksDirectory(database, settings); tries += 1) {
    try {
      const paths = [join(SEEDS, 'edition')];
      // The module is loaded only here, because it takes some megabytes, which a service without imports can save.
      const { importEdition } = await import('#import/locked-import.ts');
      const { outcome, resources, guards } = await importEdition({
        paths,
        database,
        settings,
        onlySameFiles: true,
        linkedAccounts: openLinkedAccounts(database, settings, 'service'),
      });
      if (outcome === 'imported') log.info({ outcome, resources }, 'the fictional directory is imported');
      else if (await lacksDirectory(database, settings)) {
        log.warn({ outcome, guards }, outcome === 'refused' ? 'the fictional directory is refused' : OTHER_LAYOUT);
        break;
      }
    } catch (error) {
      // If another instance has found the same empty database, and is loading the directory at this moment, this instance waits for it.
      if (!(error instanceof ImportAlreadyRunning) || tries === LOAD_TRIES) throw error;
      await setTimeout(LOAD_PAUSE);
    }
  }
  if ((await openAccounts(database).count()) === 0) {
    await database.seed.run({ directory: SEEDS, loadExtensions: ['.ts'] });
    log.info('the demo accounts are there');
  }
}
