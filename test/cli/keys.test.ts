// operations.md: `keys list | rotate | prune`, and `keys encrypt`; SEC-16 (keys at rest), SEC-17, SEC-25.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { openSeals } from '#shared/crypto/seals.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation } from '#support/cli/serving.ts';

const SECRET = 'first secret of the tests, opens nothing';
const NEXT = 'second secret of the tests, opens nothing';

describe('operations.md: hygie keys', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let database: Database;

  beforeEach(async () => {
    place = filledInstallation();
    hygie = inProcess(place);
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
    // A key is followed by none of the same second: seconds show which of them came first.
    const earlier = { created_at: database.raw('created_at - 60'), active_at: database.raw('active_at - 60') };
    await database('service_keys').update(earlier);
  });
  afterEach(async () => {
    await database.destroy();
  });

  const keys = async (env = {}) =>
    JSON.parse((await hygie(['keys', 'list', '--json'], { env })).stdout) as Record<string, string>[];
  const stored = async () => (await database('service_keys').whereNot({ purpose: 'lock' })).map((row) => row.material);

  it('lists what there is, without any key itself', async () => {
    const { code, stdout, stderr } = await hygie(['keys', 'list']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Next rotation by schedule \(keys\.rotateAfter\): \d{4}-\d\d-\d\dT\S+Z\n/);
    expect(stderr).toMatch(
      /\nWarning: an application that keeps a copy of the key set .* refuses sign-ins after a rotation\. .*stored key set"\n$/,
    );
    expect(stdout).toMatch(/^KIND +ID +STATE +CREATED +USED FROM +NEEDED UNTIL +STORED\n/);
    expect((await keys()).map(({ kind, state, encrypted }) => [kind, state, encrypted])).toEqual(
      ['RS256', 'ES256', 'EdDSA', 'cookies'].map((kind) => [kind, 'active', false]),
    );
    for (const material of await stored()) expect(stdout).not.toContain(material);
  });

  it('rotates one kind or all, once; --now lets the new key sign at once', async () => {
    const first = await hygie(['keys', 'rotate', 'es256', '--json']);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject([{ what: 'created', kind: 'ES256' }]);
    expect(first.stderr).toMatch(/ES256: \S+ is published, and used from \d{4}-/);
    expect((await hygie(['keys', 'rotate', 'ES256'])).stderr).toMatch(/waits already/);
    // An application that keeps a copy of the key set has until then.
    const [{ id = '', activeAt } = {}] = JSON.parse(first.stdout) as { id?: string; activeAt?: string }[];
    expect((await hygie(['keys', 'list'])).stderr).toContain(`refuses sign-ins from ${activeAt} on. Remedy: `);
    const states = async () => (await keys()).filter(({ kind }) => kind === 'ES256').map(({ state }) => state);
    expect(await states()).toEqual(['waiting', 'active']);
    // Until all instances have the key, the command waits for three seconds; two of them are over as soon as it has written the time.
    const file = new BetterSqlite3(join(place.folder, 'data', 'hygie.sqlite'), { readonly: true });
    const waiting = file.prepare('select 1 from service_keys where id = ? and active_at = ?');
    const [{ active_at: usual }] = await database('service_keys').where({ id });
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + (waiting.get(id, usual) ? 0 : 2000));
    expect((await hygie(['keys', 'rotate', 'ES256', '--now'])).code).toBe(0);
    expect(await states()).toEqual(['active', 'retired']);
    clock.mockRestore();
    file.close();
  });

  it('prunes what is done with; what still counts only by name, and never an active key', async () => {
    await hygie(['keys', 'rotate', 'ES256']);
    // As if the time until its use were over.
    await database('service_keys').where('active_at', '>', epochSeconds()).update({ active_at: epochSeconds() });
    expect((await hygie(['keys', 'prune'])).stderr).toContain('No key is done.');
    const all = await keys();
    const active = await hygie(['keys', 'prune', all[0]?.['id'] ?? '']);
    expect(active).toMatchObject({ code: 1, stdout: '' });
    expect(active.stderr).toContain('in use');
    const retired = all.find(({ state }) => state === 'retired')?.['id'] ?? '';
    expect((await hygie(['keys', 'prune', retired])).stderr).toContain('Removed: 1.');
    expect((await hygie(['keys', 'prune', retired])).code).toBe(1);
  });

  it('SEC-16 encrypts with the secret, changes it, and refuses without it or with another one', async () => {
    expect((await hygie(['keys', 'encrypt'])).code).toBe(1);
    expect((await hygie(['keys', 'encrypt'], { env: { HYGIE_KEY_SECRET: SECRET } })).stderr).toMatch(
      /\nEncrypted: 4\.\n$/,
    );
    for (const material of await stored()) expect(material).toMatch(/^sealed-1\./);
    // SEC-85: an edition that was sealed with it for other instances.
    const edition = () => database('directory_snapshots').first();
    const { id, bytes, file_checksum: checksum } = await edition();
    const sealed = `directory snapshot ${id} ${bytes} ${checksum ?? ''}`;
    await database('directory_snapshots').update({ seal: (await openSeals([SECRET])).seal(sealed) });
    // Without the secret.
    for (const key of await keys()) expect(key).toMatchObject({ encrypted: true, opens: false });

    const without = await hygie(['keys', 'rotate']);
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toMatch(/encrypted, and no secret is set.*HYGIE_KEY_SECRET/s);
    const wrong = await hygie(['keys', 'encrypt'], { env: { HYGIE_KEY_SECRET: NEXT } });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/does not open the keys.*HYGIE_KEY_SECRET_OLD/s);
    expect(wrong.stderr).not.toContain(NEXT);

    const file = join(place.folder, 'old-secret');
    writeFileSync(file, `${SECRET}\n`);
    const change = { HYGIE_KEY_SECRET: NEXT, HYGIE_KEY_SECRET_OLD_FILE: file };
    expect((await hygie(['keys', 'encrypt'], { env: change })).stderr).toMatch(/\nEncrypted: 4\.\n$/);
    const again = await hygie(['keys', 'encrypt'], { env: { HYGIE_KEY_SECRET: NEXT } });
    expect(again.stderr).toMatch(/\nEvery key is encrypted with this secret\.\n$/);
    expect((await openSeals([NEXT])).check(sealed, (await edition()).seal)).toBe('valid');
    // SEC-80: what was sealed with the secret before is vouched for by what follows.
    const verified = await hygie(['audit', 'verify'], { env: { HYGIE_KEY_SECRET: NEXT } });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The chain holds/) });
    expect(verified.stderr).toMatch(/were not checked.*Sealed records follow, so nobody has changed them/s);
    const other = await hygie(['audit', 'verify'], { env: { HYGIE_KEY_SECRET: `${NEXT}, not it` } });
    expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining('The chain does not hold') });
  });

  it('SEC-17 secrets that cannot be used are issues of the configuration, and are not shown', async () => {
    const short = await hygie(['check'], { env: { HYGIE_KEY_SECRET: 'too short' } });
    expect(short.code).toBe(1);
    expect(short.stderr).toMatch(/HYGIE_KEY_SECRET.*fewer than 32 characters/s);
    expect(short.stderr).not.toContain('too short');
    const both = { HYGIE_KEY_SECRET: SECRET, HYGIE_KEY_SECRET_FILE: '/nowhere' };
    expect((await hygie(['check'], { env: both })).stderr).toContain('Keep one of the two.');
    expect((await hygie(['check'], { env: { HYGIE_KEY_SECRET_OLD: SECRET } })).code).toBe(1);
    const shown = await hygie(['check', '--all'], { env: { HYGIE_KEY_SECRET: SECRET } });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('(hidden)');
    expect(shown.stdout + shown.stderr).not.toContain(SECRET);
  });
});
