// The parts of a backup that concern its database: words for faults, what is verified, and what a restore refuses.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealFiles } from '#server/backup/backup-files.ts';
import { completeRestore } from '#server/backup/complete-restore.ts';
import { dumpDatabase } from '#server/backup/dump-database.ts';
import { type Manifest, writeManifest } from '#server/backup/manifest.ts';
import { restoredFaults } from '#server/backup/restore-database.ts';
import { chainFaults, fileOf, rowFaults, verifyBackup } from '#server/backup/verify-backup.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { readContents } from '#store/backup/database-contents.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';
import { CONTENT } from './backup-parts.ts';

const own = process.env;
let folder: string;

describe('the database of a backup', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hygie-parts-'));
    process.env = { ...own, HYGIE_COMMAND: 'hygie' };
  });
  afterEach(() => {
    process.env = own;
    rmSync(folder, { recursive: true, force: true });
  });

  it('faults of rows and of the audit trail are sentences, ten of the trail at most', () => {
    const manifest = { database: { tables: { accounts: 3, leases: 0, gone: 2 } } } as unknown as Manifest;
    expect(rowFaults(manifest, { accounts: 4, leases: 0, more: 1 })).toEqual([
      'table accounts: 4 rows, and not 3',
      'table gone: no rows, and not 2',
    ]);
    const faults = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        sequence: index === 1 ? undefined : index + 1,
        problem: 'changed',
      }));
    const named = (count: number) => chainFaults({ faults: faults(count) } as never);
    expect(named(0)).toEqual([]);
    expect(named(10)).toHaveLength(10);
    expect(named(10).slice(0, 2)).toEqual(['audit trail, record 1: changed', 'audit trail, record ?: changed']);
    expect(named(11)).toEqual([...named(10), 'audit trail: 1 more faults']);
    expect(named(13).at(-1)).toBe('audit trail: 3 more faults');
    expect(fileOf('/x', 'accounts')).toBe('/x/accounts.ndjson.gz');
  });

  describe('its database', () => {
    const opened = openedForEach(() => openTestDatabase('sqlite'));

    it('after a restore has the rows and the audit trail of the manifest', async () => {
      const { database } = opened;
      const record = {
        event: 'token.issued',
        outcome: 'success',
        actor: 'service',
        time: '2026-11-20T10:00:00.000Z',
      } as const;
      await openAuditEvents(database).append([record]);
      const { tables, auditHead } = await readContents(database);
      const manifest = {
        ...CONTENT,
        database: { ...CONTENT.database, tables: { ...tables, accounts: 1 } },
        auditHead: `${auditHead?.sequence}:${auditHead?.digest}`,
      } as unknown as Manifest;
      const seals = await openSeals([]);
      const faults = (untouched: boolean, more: object = {}) =>
        restoredFaults(database, { ...manifest, ...more } as Manifest, seals, untouched);
      expect(await faults(true)).toEqual(['table accounts: 0 rows, and not 1']);
      expect(await faults(false)).toEqual([]);
      expect(await faults(false, { auditHead: `2:${auditHead?.digest}` })).toEqual([
        expect.stringMatching(/^audit trail, record 2: /),
      ]);
      expect(await faults(false, { auditHead: undefined })).toEqual([]);
    });

    it('of SQLite is copied as a file, whose pages are counted, and in no other format', async () => {
      const steps: object[] = [];
      const onProgress = (step: object) => void steps.push({ ...step });
      const { database, settings } = opened;
      const dump = (format?: 'copy') =>
        dumpDatabase({ database, settings: { database: settings }, folder, format, onProgress, say: () => {} });
      await expect(dump('copy')).rejects.toThrow(
        new Refusal('--format is for PostgreSQL: an SQLite database is copied as a file.'),
      );
      const { contents, database: described } = await dump();
      const { schema, tables } = contents;
      expect(described).toEqual({ schema, tables, engine: 'sqlite', kind: 'sqlite' });
      expect(steps[0]).toEqual({ name: 'database', done: 0, count: 0, unit: 'pages' });
    });

    it('is completed: keys that nobody opens are removed, sessions end, and both are recorded', async () => {
      const { database } = opened;
      const key = { id: 'k', kind: 'RS256', material: 'sealed-1.x', created_at: 1, active_at: 1, purpose: 'key' };
      const keys = async () => (await database('service_keys').whereNot({ purpose: 'lock' })).length;
      const columns = Object.keys(await database('service_keys').columnInfo());
      await database('service_keys').insert(
        Object.fromEntries(Object.entries(key).filter(([name]) => columns.includes(name))),
      );
      const complete = (endSessions: boolean, lostSecret: boolean) =>
        completeRestore(database, { settings: { keys: { secrets: [] } } as never, endSessions, lostSecret }, {
          ...CONTENT,
          auditHead: 'head',
        } as Manifest);
      const details = async () =>
        JSON.parse((await database('audit_events').where({ event: 'restore.done' }).orderBy('id')).at(-1)?.details);
      const made = { made: CONTENT.created, version: '1.0.0', head: 'head' };
      expect([await complete(false, false), await keys()]).toEqual([{ migrations: [] }, 1]);
      expect(await details()).toEqual(made);
      expect([await complete(true, true), await keys()]).toEqual([{ migrations: [], endedSessions: 0 }, 0]);
      expect(await details()).toEqual({ ...made, sessionsEnded: 0, lostSecret: true });
    });
  });

  it('an empty one is verified in one step, and a database that cannot be read is a fault', async () => {
    const seals = await openSeals([]);
    await writeManifest(folder, { ...CONTENT, files: await sealFiles(folder, () => {}) }, seals);
    const steps: object[] = [];
    const { faults, notices, seal } = await verifyBackup(
      folder,
      { keys: { secrets: [] } as never },
      (step) => void steps.push(step),
      {
        unsealed: false,
      },
    );
    expect([seal, notices, steps]).toEqual([
      'unsealed',
      ['The manifest has no seal: it was made without HYGIE_KEY_SECRET.'],
      [{ name: 'contents', count: 0, unit: 'rows' }],
    ]);
    expect(faults).toEqual([expect.stringMatching(/^the database in it cannot be read: /)]);
  });
});
