// The parts of a backup one by one: its manifest and what is said of a bad one, the checksums of its files, the secrets of its keys, the words
// for faults, and a restore that was not finished.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyVerified, fileFaults, sealFiles, sizeOf } from '#server/backup/backup-files.ts';
import { fingerprintOf, lackingSecrets, secretNeeded, secretsOf } from '#server/backup/key-fingerprints.ts';
import { readManifest, writeManifest } from '#server/backup/manifest.ts';
import { refuseUnfinishedRestore, restoreFolder } from '#server/backup/unfinished-restore.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { CONTENT, refusal as refusalOf } from './backup-parts.ts';

const own = process.env;
let folder: string;
const file = (name: string) => join(folder, name);
const refusal = (attempt: () => unknown) => refusalOf(attempt, folder);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the parts of a backup', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hygie-parts-'));
    process.env = { ...own, HYGIE_COMMAND: 'hygie' };
  });
  afterEach(() => {
    process.env = own;
    rmSync(folder, { recursive: true, force: true });
  });

  describe('its manifest', () => {
    const none = openSeals([]);
    const written = (more: object) => {
      writeFileSync(file('manifest.json'), JSON.stringify({ format: 1, ...CONTENT, ...more }));
      return none.then((seals) => readManifest(folder, seals));
    };

    it('is read as it was written, private and on one line for each member', async () => {
      const manifest = await writeManifest(folder, CONTENT, await none);
      expect(manifest).toEqual({ format: 1, ...CONTENT });
      expect(readFileSync(file('manifest.json'), 'utf8')).toBe(`${JSON.stringify(manifest, null, 2)}\n`);
      expect(statSync(file('manifest.json')).mode & 0o777).toBe(0o600);
      expect(await readManifest(folder, await none)).toEqual({ manifest, seal: 'unsealed' });
      // It replaces none.
      await expect(writeManifest(folder, CONTENT, await none)).rejects.toThrow('EEXIST');
    });

    it('that nobody could read is not written', async () => {
      const files = [{ path: '../x', bytes: 1, sha256: '' }];
      const seals = await none;
      expect(await refusal(() => writeManifest(folder, { ...CONTENT, files }, seals))).toMatch(
        /^Refusal: Nobody could read this backup: files\.0\.path: .+\.$/,
      );
    });

    it('that is missing, damaged, newer or of a time before 1.0.0 is refused with the remedy', async () => {
      const seals = await none;
      const texts = [
        await refusal(() => readManifest(folder, seals)),
        await refusal(() => readManifest(file('x'), seals)),
      ];
      mkdirSync(file('manifest.json'));
      texts.push(await refusal(() => readManifest(folder, seals)));
      rmSync(file('manifest.json'), { recursive: true });
      writeFileSync(file('manifest.json'), '{');
      texts.push((await refusal(() => readManifest(folder, seals))).replace(/damaged: .*/, 'damaged: WHY'));
      for (const more of [
        { format: 2, hygie: '2.0.0' },
        { format: '2' },
        { database: { ...CONTENT.database, schema: ['20261124010000_initials.ts'] } },
      ])
        texts.push((await refusal(() => written(more))).replace(/format: .*/, 'format: WHY'));
      expect(texts).toEqual([
        'Refusal: DIR is no backup: it has no manifest.json.\nRemedy: name the folder that `backup` has made.',
        'Refusal: DIR/x is no backup: it has no manifest.json.\nRemedy: name the folder that `backup` has made.',
        'Refusal: DIR/manifest.json cannot be read (EISDIR).',
        'Refusal: DIR/manifest.json is damaged: WHY\nRemedy: use another backup.',
        'Refusal: DIR was made by a newer release (2.0.0), in a format that this one does not know.\nRemedy: use that release, or a newer one.',
        'Refusal: DIR/manifest.json is damaged: format: WHY\nRemedy: use another backup.',
        'Refusal: A version before 1.0.0 (1.0.0) made the backup DIR, and no release can restore it.\n' +
          'Remedy: start with an empty database, and add the accounts and the directory again.',
      ]);
    });

    it.each<[string, object]>([
      ['a name that leads elsewhere', { hygie: '../1' }],
      ['a name that is too long', { hygie: `a${'b'.repeat(100)}` }],
      ['a table that leads elsewhere', { database: { ...CONTENT.database, tables: { '../x': 1 } } }],
      ['rows below none', { database: { ...CONTENT.database, tables: { a: -1 } } }],
      ['another engine', { database: { ...CONTENT.database, engine: 'mysql' } }],
      ['another kind', { database: { ...CONTENT.database, kind: 'tar' } }],
      ['a sequence below none', { database: { ...CONTENT.database, sequences: { a: -1 } } }],
      ['a name that drives a terminal', { hygie: '\x1b]0;x\x07' }],
      ['a path that leads elsewhere', { files: [{ path: '/etc/hosts', bytes: 1, sha256: '' }] }],
      ['a path that is hidden', { files: [{ path: 'a/.b', bytes: 1, sha256: '' }] }],
      ['bytes below none', { files: [{ path: 'a', bytes: -1, sha256: '' }] }],
      ['an issuer with a blank', { issuer: 'https://a b' }],
      [
        'a snapshot that is no file',
        { directory: { included: true, current: { id: 'a', file: 'a/b.sqlite', created: CONTENT.created } } },
      ],
      ['a head that is none', { auditHead: '1:short' }],
      ['a date that is none', { created: 'yesterday' }],
    ])('with %s is damaged', async (_, more) => {
      expect(await refusal(() => written(more))).toMatch(/^Refusal: DIR\/manifest\.json is damaged: /);
    });

    it.each<[string, object]>([
      ['the longest name', { hygie: `a${'b'.repeat(99)}` }],
      ['no rows', { database: { ...CONTENT.database, tables: { a: 0 }, sequences: { b: 0 } } }],
      ['an empty file', { files: [{ path: 'a/b.c', bytes: 0, sha256: '' }] }],
      ['a head', { auditHead: `7:${'x'.repeat(43)}` }],
    ])('with %s is read', async (_, more) => {
      expect((await written(more)).manifest).toMatchObject(more);
    });
  });

  describe('its files', () => {
    it('have checksums and are private, and each byte is told', async () => {
      mkdirSync(file('sub'));
      writeFileSync(file('b'), 'second', { mode: 0o644 });
      writeFileSync(file('sub/a'), 'third');
      writeFileSync(file('a'), 'first');
      writeFileSync(file('manifest.json'), 'of itself');
      const told: number[] = [];
      const files = await sealFiles(folder, (bytes) => told.push(bytes));
      expect(files).toEqual([
        { path: 'a', bytes: 5, sha256: sha256('first') },
        { path: 'b', bytes: 6, sha256: sha256('second') },
        { path: 'sub/a', bytes: 5, sha256: sha256('third') },
      ]);
      expect(told).toEqual([5, 11, 16]);
      const modes = ['a', 'b', 'sub', 'sub/a'].map((name) => statSync(file(name)).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o700, 0o600]);
      told.length = 0;
      expect(await fileFaults(folder, files, (bytes) => told.push(bytes))).toEqual([]);
      expect(told).toEqual([5, 11, 16]);
      expect(await sizeOf(file('a'), file('missing'), file('b'))).toBe(11);
    });

    it('that differ from the manifest are named, each with what is wrong', async () => {
      for (const name of ['short', 'long', 'other', 'more']) writeFileSync(file(name), 'xxxxx');
      symlinkSync('other', file('link'));
      mkdirSync(file('folder'));
      const of = (path: string, bytes: number, text = '') => ({ path, bytes, sha256: sha256(text) });
      const told: number[] = [];
      const files = [
        of('short', 6),
        of('long', 4),
        of('other', 5),
        of('link', 5),
        of('folder', 5),
        of('gone', 7),
        of('more', 5, 'xxxxx'),
      ];
      expect(await fileFaults(folder, [...files.slice(0, -1)], () => {})).toContain('more is no part of the backup');
      expect(await fileFaults(folder, files, (bytes) => told.push(bytes))).toEqual([
        'short is truncated: 5 bytes of 6',
        'long was changed: 5 bytes, and not 4',
        'other was changed: its checksum is not that of the manifest',
        'link is no file',
        'folder is no file',
        'gone is missing',
      ]);
      // As if each were whole.
      expect(told).toEqual([15, 37]);
    });

    it('are copied, and compared once more', async () => {
      writeFileSync(file('a'), 'first', { mode: 0o644 });
      await copyVerified(file('a'), file('copy'), { path: 'a', bytes: 5, sha256: sha256('first') });
      expect([readFileSync(file('copy'), 'utf8'), statSync(file('copy')).mode & 0o777]).toEqual(['first', 0o600]);
      const other = { path: 'sub/a', bytes: 5, sha256: sha256('second') };
      expect(await refusal(() => copyVerified(file('a'), file('copy'), other))).toBe(
        'Refusal: sub/a was changed while it was copied: nothing was restored.',
      );
    });
  });

  it('the secrets of its keys have fingerprints, by which a restore says which one is lacking', async () => {
    const [one, two, other] = ['first secret of the tests', 'second secret of the tests', 'another one'];
    const keyOf = async (id: string, secret?: string) => ({
      kind: 'RS256',
      id,
      material: secret === undefined ? 'plain' : await createEncryption([secret]).encrypt('{}', `RS256 ${id}`),
    });
    const names = [await fingerprintOf(one), await fingerprintOf(two)];
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
    expect([names[0] === names[1], await fingerprintOf(one)]).toEqual([false, names[0]]);
    // Backups of earlier releases have it.
    expect(await fingerprintOf('a secret of thirty-two characters')).toBe('-jDlU9p5zi5g8AHn');
    const plain = await keyOf('a');
    expect(await secretsOf([plain] as never, [one])).toEqual({ encrypted: false, secrets: [] });
    expect(await lackingSecrets({ keys: { encrypted: true, secrets: names, fileIncluded: false } }, [two])).toEqual([
      names[0],
    ]);
    const needed = (secrets: string[], given: string[]) =>
      secretNeeded({ keys: { encrypted: true, secrets, fileIncluded: false } }, given);
    expect([
      await needed(names, [two, one]),
      await needed([], []),
      await needed(names, []),
      await needed(names.slice(0, 1), [other]),
    ]).toEqual([
      undefined,
      undefined,
      `The keys in the backup need the secret with the fingerprint ${names.join(' and ')}. No secret is set.`,
      `The keys in the backup need the secret with the fingerprint ${names[0]}. The secret that is set (fingerprint ${await fingerprintOf(other)}) does not open them.`,
    ]);
  });

  it('a restore that was not finished is refused until it is', async () => {
    const staging = restoreFolder(folder);
    expect(staging).toBe(file('restore-unfinished'));
    refuseUnfinishedRestore(folder);
    mkdirSync(staging);
    refuseUnfinishedRestore(folder);
    writeFileSync(join(staging, 'manifest.json'), '');
    expect(await refusal(() => refuseUnfinishedRestore(folder))).toBe(
      'Refusal: A restore into HYGIE_DATA (DIR) is under way, or was not finished.\n' +
        'Remedy: run `hygie restore DIR` again, with the same backup: it begins anew, or goes on where it was.',
    );
  });
});
