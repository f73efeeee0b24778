// SEC-62: what a start says and records of the keys that it makes, and of secrets of second factors that are encrypted with them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { createMissingKeys } from '#openid/keys/key-changes.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { secureKeys } from '#server/start/secure-keys.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';

const SECRET = 'a secret of the tests that opens nothing';
const KINDS = ['RS256', 'ES256', 'EdDSA', 'cookies'];
const NOW_ENCRYPTED = 'keys were stored in plain text, as by an earlier release: they are encrypted now';

/** The ids of keys are random, and so is their order. */
const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();

describe('SEC-62 the keys at a start', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let folder: string;
  let said: unknown[][];
  beforeEach(() => {
    [folder, said] = [newFolder(), []];
  });
  const log = {
    info: (...line: unknown[]) => void said.push(['info', ...line]),
    warn: (...line: unknown[]) => void said.push(['warn', ...line]),
  };
  const settingsOf = (...secrets: string[]) =>
    ({
      dataFolder: folder,
      database: opened.settings,
      keys: { secrets, rotateAfter: 0, cachedFor: 60 },
      lifetimes: { session: 60 },
    }) as unknown as Settings;
  const secure = (...secrets: string[]) => secureKeys(opened.database, settingsOf(...secrets), log);
  const records = async () =>
    (await openAuditEvents(opened.database).search({ limit: 20 })).map(({ event, actor, details }) => [
      event,
      actor,
      details?.['kind'],
      ...(details?.['count'] === undefined ? [] : [details['count']]),
    ]);
  /** An account with an app, whose secret this encryption encrypts; none leaves it plain. */
  const addApp = async (...secrets: string[]) => {
    const [account] = await openAccounts(opened.database).create([{ email: `${secrets.length}@c.example`, name: 'N' }]);
    const factors = openSecondFactors(opened.database, createEncryption(secrets));
    const row = { account_id: account?.id, secret: await factors.propose(account?.id ?? '') };
    await opened.database('second_factors').insert({ ...row, created_at: 1, last_step: 0 });
  };
  const sealed = async () =>
    [
      ...(await opened.database('service_keys').whereNot({ purpose: 'lock' }).pluck('material')),
      ...(await opened.database('second_factors').pluck('secret')),
    ].map((text: string) => text.startsWith('sealed-'));

  it('of a new database are made, with a secret of their own, which is said and belongs into the backup', async () => {
    const { keys } = await secure();
    const file = join(folder, 'key-secret');
    expect(said).toEqual([
      ['info', { file }, 'a secret for the keys was made: it belongs in the backup, apart from the database'],
    ]);
    expect(keys).toEqual({ secrets: [expect.stringMatching(/^.{44}$/)], rotateAfter: 0, cachedFor: 60 });
    const created = KINDS.map((kind) => ['key.created', 'service', kind]);
    expect(sorted(await records())).toEqual(sorted(created));
    said = [];
    expect((await secure(...keys.secrets)).keys).toEqual(keys);
    expect([said, await sealed(), (await records()).length]).toEqual([[], KINDS.map(() => true), 4]);
  });

  it('are made with the secret that is set, and then there is no file', async () => {
    expect((await secure(SECRET, 'the one before')).keys.secrets).toEqual([SECRET, 'the one before']);
    expect([said, existsSync(join(folder, 'key-secret')), await sealed()]).toEqual([[], false, KINDS.map(() => true)]);
  });

  it('that were plain are encrypted together with second factors, which is said and recorded', async () => {
    await createMissingKeys(openKeyVault(opened.database, settingsOf()));
    await addApp();
    await secure(SECRET);
    expect(said).toEqual([['info', { kinds: expect.arrayContaining([...KINDS, 'second-factors']) }, NOW_ENCRYPTED]]);
    expect(await sealed()).toEqual([...KINDS, 'app'].map(() => true));
    const encrypted = KINDS.map((kind) => ['key.encrypted', 'service', kind]);
    expect(sorted(await records())).toEqual(sorted([...encrypted, ['key.encrypted', 'service', 'second-factors', 1]]));
  });

  it('second factors that are still plain are encrypted at the next start', async () => {
    await secure(SECRET);
    await addApp();
    await secure(SECRET);
    expect(said).toEqual([['info', { kinds: ['second-factors'] }, NOW_ENCRYPTED]]);
    expect(await records()).toContainEqual(['key.encrypted', 'service', 'second-factors', 1]);
  });

  it('second factors that no secret opens are said, and all are left as they are', async () => {
    await secure(SECRET);
    await addApp('another secret, which nobody has any more');
    await addApp();
    await secure(SECRET);
    expect(said).toEqual([
      [
        'warn',
        { accounts: 1 },
        expect.stringMatching(/^secrets of second factors cannot be decrypted: see .*keys list/),
      ],
    ]);
    expect(await sealed()).toEqual([...KINDS.map(() => true), true, false]);
  });

  it('that another secret encrypted are refused, and neither file nor keys are made', async () => {
    await secure(SECRET);
    await opened.database('service_keys').where({ purpose: 'EdDSA' }).delete();
    const before = await sealed();
    await expect(secure('another')).rejects.toThrow(/^The secret that is set does not open the keys in the database/);
    await expect(secure()).rejects.toThrow(/^The keys in the database are encrypted, and no secret is set\./);
    expect([await sealed(), existsSync(join(folder, 'key-secret'))]).toEqual([before, false]);
  });

  it('are not made where a second factor alone says that there was a secret', async () => {
    await addApp(SECRET);
    await expect(secure()).rejects.toThrow(/^The keys in the database are encrypted, and no secret is set\./);
    expect(await sealed()).toEqual([true]);
  });
});
