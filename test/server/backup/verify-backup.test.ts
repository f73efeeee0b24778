// What the verification of a backup says of its seal and of a dump of pg_dump, which only the programs of PostgreSQL can read.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { sealFiles } from '#server/backup/backup-files.ts';
import { DUMP_FILE } from '#server/backup/dump-database.ts';
import { writeManifest } from '#server/backup/manifest.ts';
import { verifyBackup } from '#server/backup/verify-backup.ts';
import { openSeals } from '#shared/crypto/seals.ts';

const SECRET = 'a secret of the tests that opens nothing';
const DUMP_NOTICE = /^Rows are counted and the audit trail is verified in the database that a restore fills/;
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
async function makeDump(secrets: string[]): Promise<void> {
  writeFileSync(join(folder, DUMP_FILE), 'a dump');
  const database = { engine: 'postgresql', kind: 'pg_dump', schema: [], tables: { accounts: 3 } } as const;
  const content = {
    hygie: '1.0.0',
    created: '2026-11-20T10:00:00.000Z',
    issuer: 'https://connect.example',
    sandbox: false,
    database: { ...database, schema: [] },
    keys: { encrypted: false, secrets: [], fileIncluded: false },
    directory: { included: false },
    files: await sealFiles(folder, () => {}),
  };
  await writeManifest(folder, content, await openSeals(secrets));
}

/** Puts a program in place of pg_restore, which ends with this code; without one there is none. */
function installPgRestore(code?: number): void {
  process.env['PATH'] = code === undefined ? '/nowhere' : `${programs}:${PATH}`;
  if (code === undefined) return;
  const script = `#!/bin/sh\ncase "$1" in --version) echo "pg_restore (PostgreSQL) 99.1";; *) echo "torn" >&2; exit ${code};; esac\n`;
  writeFileSync(join(programs, 'pg_restore'), script);
  chmodSync(join(programs, 'pg_restore'), 0o700);
}

const verify = (secrets: string[], unsealed = false) =>
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
    await makeDump([SECRET]);
    installPgRestore(code);
    const verified = await verify([SECRET]);
    expect(verified.seal).toBe('valid');
    expect(verified.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
    expect(verified.notices).toEqual(notices.map((notice) => expect.stringMatching(notice)));
  });

  it('reads nothing of a backup whose files were changed', async () => {
    await makeDump([SECRET]);
    writeFileSync(join(folder, DUMP_FILE), 'A dump');
    installPgRestore(0);
    const { faults, notices } = await verify([SECRET]);
    expect([faults, notices]).toEqual([[expect.stringContaining(DUMP_FILE)], []]);
  });
});

describe('the seal of a backup', () => {
  const UNCHECKED = expect.stringMatching(
    /^The seal of the manifest was not checked: the secret that sealed it is not set/,
  );
  const UNSEALED = expect.stringMatching(/^The manifest has no seal: it was made without HYGIE_KEY_SECRET\.$/);

  it.each([
    ['made and verified with a secret', [SECRET], [SECRET], false, 'valid', [], []],
    ['verified after the secret was replaced', [SECRET], ['new', SECRET], false, 'valid', [], []],
    ['verified without a secret', [SECRET], [], false, 'unchecked', [], [UNCHECKED]],
    ['verified with another secret', [SECRET], ['another'], false, 'unchecked', [], [UNCHECKED]],
    ['made and verified without a secret', [], [], false, 'unsealed', [], [UNSEALED]],
    ['made without, verified with one', [], [SECRET], false, 'unsealed', [expect.stringMatching(/has no seal/)], []],
    ['made without, verified with one, as is known', [], [SECRET], true, 'unsealed', [], [UNSEALED]],
  ] as const)('%s', async (_, made, secrets, unsealed, seal, faults, notices) => {
    await makeDump([...made]);
    installPgRestore();
    const verified = await verify([...secrets], unsealed);
    expect([verified.seal, verified.faults, verified.notices.slice(0, notices.length)]).toEqual([
      seal,
      faults,
      notices,
    ]);
  });
});
