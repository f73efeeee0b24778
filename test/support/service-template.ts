// Fills one data folder with the demonstration (schema, people, directory, keys) for the whole test run, and one PostgreSQL
// database when the first test asks for it; each service that a test starts gets copies of its own. The folder on SQLite is
// in HYGIE_TEST_TEMPLATE.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '#config/index.ts';
import { createMissingKeys } from '#openid/keys/key-changes.ts';
import { DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { keepPrivate } from '#server/private-data-folder.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { createLog } from '#shared/log/log.ts';
import { openDatabase } from '#store/database/connection.ts';
import { SHIPPED_CONFIG } from './config/shipped.ts';
import { type Engine, newDatabase, templateDatabase } from './databases.ts';
import { LOW_COST } from './hash-cost.ts';

const TEMPLATE = 'HYGIE_TEST_TEMPLATE';
// A folder that is empty until then.
const POSTGRES_TEMPLATE = 'HYGIE_TEST_TEMPLATE_POSTGRESQL';

export async function makeTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-template-'));
  process.env[TEMPLATE] = folder;
  process.env[POSTGRES_TEMPLATE] = await mkdtemp(join(tmpdir(), 'hygie-template-postgresql-'));
  await firstStart({ HYGIE_DATA: folder });
  keepPrivate({ dataFolder: folder, mode: 'development' }, () => {});
}

/** Puts a copy of the demonstration's data folder in place and, on PostgreSQL, makes a copy of its database. */
export async function copyTemplate(
  engine: Engine,
  data: string,
): Promise<Awaited<ReturnType<typeof newDatabase>> | undefined> {
  if (engine === 'sqlite') {
    await cp(process.env[TEMPLATE] ?? '', data, { recursive: true });
    return undefined;
  }
  const folder = process.env[POSTGRES_TEMPLATE] ?? '';
  const template = await templateDatabase('hygie_demonstration', (url) =>
    firstStart({ HYGIE_DATA: folder, DATABASE_URL: url }),
  );
  await cp(folder, data, { recursive: true });
  return newDatabase(engine, template);
}

async function firstStart(env: Record<string, string>): Promise<void> {
  // Loaded with the whole import by the few who make a template, not by the many who copy one.
  const { prepareStart } = await import('#server/start/prepare-start.ts');
  const settings = await loadSettings({ LOG_LEVEL: 'warn', HYGIE_CONFIG: SHIPPED_CONFIG, ...env });
  await prepareStart(settings, createLog(settings.log));
  const database = openDatabase(settings.database);
  await database('accounts').update({ password_hash: await hashSecret(DEMO_PASSWORD, LOW_COST) });
  await createMissingKeys(openKeyVault(database, settings));
  await database.destroy();
}

export async function removeTemplate(): Promise<void> {
  for (const name of [TEMPLATE, POSTGRES_TEMPLATE]) {
    const folder = process.env[name];
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}
