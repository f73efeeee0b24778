// What the verification of a backup says of its seal and of a dump of pg_dump, which only the programs of PostgreSQL can read, and why a backup
// is not restored at a place.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { sealFiles } from '#server/backup/backup-files.ts';
import { COPY_FOLDER, DUMP_FILE } from '#server/backup/dump-database.ts';
import { fingerprintOf } from '#server/backup/key-fingerprints.ts';
import { type Manifest, type SealState, writeManifest } from '#server/backup/manifest.ts';
import { reasonsAgainst } from '#server/backup/restore-checks.ts';
import { verifyBackup } from '#server/backup/verify-backup.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { headText } from '#store/audit/audit-chain.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { sqliteRows } from '#store/backup/sqlite-backup.ts';
import { writeLines } from '#store/backup/table-lines.ts';
import { rewrite } from '#support/backup/changed-backups.ts';
import { openTestDatabase } from '#support/databases.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { openedForAll } from '#support/opened.ts';
import { CONTENT, writeProgram } from './backup-parts.ts';

describe('a check of a backup', () => {
  withOwnSnapshots(import.meta.filename);
  const SECRET = 'a secret of the tests that opens nothing';
  /** Each list of secrets is derived once. */
  const WITH = [SECRET];
  const WITHOUT: string[] = [];
  const DUMP_NOTICE = /^Only a restore can count the rows of a dump/;
  const { PATH = '' } = process.env;
  let folder: string;
  let programs: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hygie-backup-'));
    programs = mkdtempSync(join(tmpdir(), 'hygie-programs-'));
  });
  afterEach(() => {
    process.env['PATH'] = PATH;
    for (const path of [folder, programs]) rmSync(path, { recursive: true, force: true });
  });

  /** Makes a backup whose database is a dump, with a seal if there are secrets. */
  async function makeDump(secrets: readonly string[]): Promise<void> {
    writeFileSync(join(folder, DUMP_FILE), 'a dump');
    const database = { engine: 'postgresql', kind: 'pg_dump', schema: [], tables: { accounts: 3 } } as const;
    const files = await sealFiles(folder, () => {});
    const content = { ...CONTENT, database: { ...database, schema: [] }, files };
    await writeManifest(folder, content, await openSeals(secrets));
  }

  /** Puts a program in place of pg_restore, which ends with this code; without one there is none. */
  function installPgRestore(code?: number): void {
    process.env['PATH'] = code === undefined ? '/nowhere' : `${programs}:${PATH}`;
    if (code === undefined) return;
    writeProgram(programs, 'pg_restore', 99, `echo torn >&2; exit ${code}`);
  }

  const verify = (secrets: readonly string[], unsealed = false) =>
    verifyBackup(folder, { keys: { secrets } } as unknown as Settings, () => {}, { unsealed });

  describe('the verification of a dump', () => {
    it.each([
      ['reads it, and says what a restore checks', 0, [], [DUMP_NOTICE]],
      ['fails where pg_restore cannot read it', 1, [/^the database in it cannot be read: .*torn/s], [DUMP_NOTICE]],
      [
        'says so where pg_restore is not installed',
        undefined,
        [],
        [/^The dump was not read: pg_restore is not installed/],
      ],
    ] as [string, number | undefined, RegExp[], RegExp[]][])('%s', async (_, code, faults, notices) => {
      await makeDump(WITH);
      installPgRestore(code);
      const verified = await verify(WITH);
      expect(verified.seal).toBe('valid');
      expect(verified.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
      expect(verified.notices).toEqual(notices.map((notice) => expect.stringMatching(notice)));
    });

    it('reads nothing of a backup whose files were changed', async () => {
      await makeDump(WITH);
      writeFileSync(join(folder, DUMP_FILE), 'A dump');
      installPgRestore(0);
      const { faults, notices } = await verify(WITH);
      expect([faults, notices]).toEqual([[expect.stringContaining(DUMP_FILE)], []]);
    });
  });

  describe('the seal of a backup', () => {
    const UNCHECKED = expect.stringMatching(
      /^The seal of the manifest was not checked: the secret that sealed it is not set/,
    );
    const UNSEALED = expect.stringMatching(/^The manifest has no seal: it was made without HYGIE_KEY_SECRET\.$/);

    it.each([
      ['made and verified with a secret', WITH, WITH, false, 'valid', [], []],
      ['verified after the secret was replaced', WITH, ['new', SECRET], false, 'valid', [], []],
      ['verified without a secret', WITH, WITHOUT, false, 'unchecked', [], [UNCHECKED]],
      ['verified with another secret', WITH, ['another'], false, 'unchecked', [], [UNCHECKED]],
      ['made and verified without a secret', WITHOUT, WITHOUT, false, 'unsealed', [], [UNSEALED]],
      ['made without, verified with one', WITHOUT, WITH, false, 'unsealed', [expect.stringMatching(/has no seal/)], []],
      ['made without, verified with one, as is known', WITHOUT, WITH, true, 'unsealed', [], [UNSEALED]],
    ] as const)('%s', async (_, made, secrets, unsealed, seal, faults, notices) => {
      await makeDump(made);
      installPgRestore();
      const verified = await verify(secrets, unsealed);
      expect([verified.seal, verified.faults, verified.notices.slice(0, notices.length)]).toEqual([
        seal,
        faults,
        notices,
      ]);
    });

    it('SEC-67 tells of a manifest that was changed with all checksums', async () => {
      await makeDump(WITH);
      installPgRestore();
      rewrite(folder, () => ({ sandbox: true }));
      const { seal, faults } = await verify(WITH);
      expect([seal, faults]).toEqual(['wrong', ['manifest.json was changed: its seal is wrong']]);
    });
  });

  describe('the verification of a copy', () => {
    const opened = openedForAll(() => openTestDatabase('sqlite'));
    const TABLES = ['audit_events', 'audit_chain'];
    const time = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

    it('SEC-48 follows the audit trail from the last record that a clean-up removed, and tells what is missing', async () => {
      const { database, settings } = opened;
      const events = openAuditEvents(database, WITH);
      const record = { event: 'token.issued', outcome: 'success', actor: 'service' } as const;
      for (const days of [9, 8, 2, 1]) await events.append([{ ...record, time: time(days) }]);
      await events.prune(Date.parse(time(5)));
      const [row] = await database('audit_chain').select();
      const file = settings.engine === 'sqlite' ? settings.file : '';
      mkdirSync(join(folder, COPY_FOLDER));
      for (const table of TABLES)
        await writeLines(join(folder, COPY_FOLDER, `${table}.ndjson.gz`), sqliteRows(file, table));
      const content = (tables: Record<string, number>, sequence = Number(row?.sequence)) => ({
        ...CONTENT,
        database: { engine: 'postgresql' as const, kind: 'copy' as const, schema: [], tables },
        auditHead: headText({ sequence, digest: String(row?.digest) }),
      });
      const seal = async (written: ReturnType<typeof content>) => {
        rmSync(join(folder, 'manifest.json'), { force: true });
        await writeManifest(folder, { ...written, files: await sealFiles(folder, () => {}) }, await openSeals(WITH));
        return (await verify(WITH)).faults;
      };
      expect(await seal(content({ audit_events: 2, audit_chain: 1 }))).toEqual([]);
      expect(await seal(content({ audit_events: 3, audit_chain: 1 }))).toEqual([
        'table audit_events: 2 rows, and not 3',
      ]);
      expect(await seal(content({ audit_events: 2, audit_chain: 1 }, 5))).toEqual(
        expect.arrayContaining(['audit trail: it ends with record 4, and not 5']),
      );
    });
  });

  describe('a restore of a backup that does not belong here', () => {
    it('is refused, each reason with its remedy', async () => {
      const needed = await fingerprintOf(SECRET);
      const keys = { encrypted: true, secrets: [needed], fileIncluded: true };
      const manifest: Manifest = { ...CONTENT, format: 1, keys };
      writeFileSync(join(folder, 'key-secret'), `${SECRET}\n`);
      process.env['PATH'] = '/nowhere';
      const data = join(folder, 'data');
      const into = {
        dataFolder: data,
        mode: 'development',
        sandbox: false,
        keys: { secrets: [] },
        database: { engine: 'sqlite', file: join(data, 'hygie.sqlite') },
      } as unknown as Settings;
      const production = { ...into, mode: 'production' } as const;
      const withSecret = (secret: string) => ({ ...into, keys: { ...into.keys, secrets: [secret] } });
      const other = withSecret('another secret, of another service, 32 long');
      const postgres = { database: { ...manifest.database, engine: 'postgresql', kind: 'pg_dump' } } as const;
      const newer = { hygie: '9.0.0', database: { ...manifest.database, schema: ['2999_a.ts', '2999_b.ts'] } };
      const bringsNone = { keys: { ...manifest.keys, fileIncluded: false } };
      // No secret is needed, and none is derived.
      const plain = { keys: { encrypted: true, secrets: [], fileIncluded: false } };
      const cases: [Partial<Manifest>, Settings, { lostSecret?: true; unsealed?: true }, SealState][] = [
        [{ ...plain, ...newer }, into, {}, 'valid'],
        [{ ...plain, ...postgres }, into, {}, 'valid'],
        [{ ...plain, sandbox: true }, production, {}, 'valid'],
        [{ ...plain, sandbox: true }, { ...production, sandbox: true }, {}, 'valid'],
        [{ ...plain, sandbox: true }, into, {}, 'valid'],
        [plain, { ...production, sandbox: true }, {}, 'valid'],
        [{}, withSecret(SECRET), {}, 'valid'],
        [bringsNone, into, {}, 'valid'],
        [bringsNone, into, { lostSecret: true }, 'valid'],
        [bringsNone, other, { lostSecret: true }, 'valid'],
        [bringsNone, other, {}, 'unchecked'],
        [plain, other, {}, 'unchecked'],
        [plain, other, { unsealed: true }, 'unchecked'],
      ];
      const reasons: string[][] = [];
      const against = async (of: Parameters<typeof reasonsAgainst>[1], place: Settings, options: object) =>
        void reasons.push(await reasonsAgainst(folder, of, place, { lostSecret: false, unsealed: false, ...options }));
      for (const [change, place, options, seal] of cases)
        await against({ manifest: { ...manifest, ...change }, seal }, place, options);
      mkdirSync(data);
      writeFileSync(join(data, 'key-secret'), 'another');
      await against({ manifest, seal: 'valid' }, withSecret(SECRET), {});
      const text = JSON.stringify(reasons, null, 1).replaceAll(folder, 'DIR').replaceAll(needed, 'NEEDED');
      expect(text.replaceAll(/\(fingerprint [\w-]{16}\)/g, '(fingerprint HERE)')).toMatchSnapshot();
    });
  });
});
