// Owns what happens before the service listens: the schema, and in a demonstration the fictional people and directory.
// Does not own the import (`src/ingest/`) nor the seeds (`seeds/`).

import { join } from 'node:path';
import { importEdition } from '../ingest/import.ts';
import type { Logger } from '../shared/log.ts';
import type { Settings } from '../shared/settings.ts';
import { openAccounts } from '../store/accounts.ts';
import { type Database, migrate, openDatabase } from '../store/connection.ts';
import { readPointer } from '../store/directory/catalogue.ts';

const SEEDS = join(import.meta.dirname, '..', '..', 'seeds');

/** Migrates the database; an empty demonstration gets its directory and its accounts. */
export async function prepareStart(settings: Settings, log: Logger): Promise<void> {
  const database = openDatabase(settings.database);
  try {
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ migrations: applied }, 'the database has the newest schema');
    if (settings.demo) await fillDemonstration(database, settings, log);
  } finally {
    await database.destroy();
  }
}

async function fillDemonstration(database: Database, settings: Settings, log: Logger): Promise<void> {
  if (!(await readPointer(database)).current) {
    const report = await importEdition({ paths: [join(SEEDS, 'edition')], database, settings });
    log.info({ outcome: report.outcome, resources: report.resources }, 'the fictional directory is loaded');
  }
  if ((await openAccounts(database).count()) === 0) {
    await database.seed.run({ directory: SEEDS, loadExtensions: ['.ts'] });
    log.info('the demo accounts are there');
  }
}
