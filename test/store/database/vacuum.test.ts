// SEC-58: expired rows leave SQLite's file, and not only its tables; those of a file of an earlier release too, once it was rewritten.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { loadSettings } from '#config/index.ts';
import { startCleanup } from '#server/cleanup/cleanup-schedule.ts';
import { prepareStart } from '#server/start/first-start.ts';
import { createLog } from '#shared/log/log.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { migrate } from '#store/database/migrate.ts';
import { openPageRelease, rewriteNeeded } from '#store/database/vacuum.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { until } from '#support/until.ts';

const MIB = 1024 * 1024;

describe('the file of the database', () => {
  let place: Installation;
  let file: string;
  let database: Database;
  beforeEach(() => {
    place = installation();
    file = join(place.folder, 'data', 'hygie.sqlite');
    database = openDatabase({ engine: 'sqlite', file });
  });
  afterEach(async () => {
    await database.destroy();
    place.remove();
  });

  const size = async () => {
    await database.raw('pragma wal_checkpoint(truncate)');
    return statSync(file).size;
  };
  const fill = async () => {
    const payload = 'x'.repeat(130_000);
    const rows = Array.from({ length: 310 }, (_, index) => ({ model: 'Interaction', id: String(index), payload }));
    const expires_at = epochSeconds() - 3600;
    await database.batchInsert(
      'oidc_records',
      rows.map((row) => ({ ...row, expires_at })),
      50,
    );
    expect(await size()).toBeGreaterThan(38 * MIB);
  };
  const cleanUp = () => {
    const none = { prune: async () => 0 };
    return startCleanup({
      stores: {
        records: openOidcRecords(database),
        pageSessions: () => none,
        signInLimiters: none,
        actionTokens: none,
        auditEvents: none,
        logoutDeliveries: { hasten: async () => 0 },
        mailQueue: { hasten: async () => 0, ...none },
        releasePages: openPageRelease(database),
      },
      lease: openLease(database, 'cleanup'),
      engine: 'sqlite',
      keepAudit: 86_400,
      log: { error: (entry: object) => expect(entry).toBeUndefined() } as never,
    });
  };
  const shrinks = async () => {
    const cleanup = cleanUp();
    // 8 MiB stay for what is stored next.
    await until(async () => (await size()) < 10 * MIB, 'the file is short');
    await cleanup.stop();
  };
  const ofEarlierRelease = async () => {
    await database.destroy();
    const earlier = new BetterSqlite3(file);
    earlier.exec('pragma auto_vacuum = none; create table of_then (text)');
    earlier.close();
    database = openDatabase({ engine: 'sqlite', file });
    await migrate(database);
    expect(await rewriteNeeded(database, file)).toBe('quick');
  };

  it('SEC-58 shrinks by what expired, and then is left alone', async () => {
    await migrate(database);
    await fill();
    await shrinks();
    const release = openPageRelease(database);
    while ((await release(500)) > 0);
    expect(await size()).toBeGreaterThan(8 * MIB);
  });

  it('SEC-58 of an earlier release: the start rewrites a small one, which shrinks then', async () => {
    await ofEarlierRelease();
    const settings = await loadSettings({
      HYGIE_CONFIG: join(place.folder, 'config'),
      HYGIE_DATA: join(place.folder, 'data'),
    });
    await prepareStart({ ...settings, demo: false }, createLog({ level: 'error', format: 'json' }));
    await database.destroy();
    database = openDatabase({ engine: 'sqlite', file });
    expect(await rewriteNeeded(database, file)).toBe('no');
    await fill();
    await shrinks();
  });

  it('SEC-58 of an earlier release, with much in it: migrate --vacuum does, and says how large it was', async () => {
    await ofEarlierRelease();
    await fill();
    await database('oidc_records').delete();
    expect(await openPageRelease(database)(500)).toBe(0);
    expect(await size()).toBeGreaterThan(38 * MIB);
    const { code, stderr } = await inProcess(place)(['migrate', '--vacuum']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Rewritten: \d\d\.\d MiB before, 0\.\d MiB now\.\n$/);
    expect(await rewriteNeeded(database, file)).toBe('no');
  });
});
