// operations.md, "Two commands": instances that start at once on an empty database fill it together, and all of them serve.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings } from '#config/index.ts';
import { prepareStart } from '#server/start/prepare-start.ts';
import { createLog } from '#shared/log/log.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openDatabase } from '#store/database/connection.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { newDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('operations.md: first starts at the same time', () => {
  let folder: string;
  let external: Awaited<ReturnType<typeof newDatabase>>;
  beforeAll(async () => {
    folder = newFolder();
    external = await newDatabase('postgresql');
  });
  afterAll(async () => {
    await external.remove();
  });

  it('one loads the demonstration, the other waits for it', async () => {
    const { settings: database } = external;
    if (database.engine !== 'postgresql') throw new Error('not PostgreSQL');
    const settings = await loadSettings({
      HYGIE_CONFIG: SHIPPED_CONFIG,
      HYGIE_DATA: folder,
      DATABASE_URL: database.url,
    });
    const log = createLog({ level: 'error', format: 'json' }, { write: () => undefined });
    const states = await Promise.all([prepareStart(settings, log), prepareStart(settings, log)]);
    expect(states).toEqual([1, 2].map(() => expect.objectContaining({ directory: true, accounts: true })));
    const connection = openDatabase(database);
    expect(await openAccounts(connection).count()).toBe(DEMO_ACCOUNTS.length);
    await connection.destroy();
  });
});
