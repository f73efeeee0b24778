// Security checklist 41 as operators meet it: a lost second factor, how its secrets are stored, the pause after wrong codes.
// In this process, on the run's own data.

import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createThrottle } from '#openid/sign-in/throttle.ts';
import { createEncryption, type Encryption, isEncrypted } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation } from '#support/cli/serving.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { newPasskey } from '#support/store/passkey.ts';

describe('second factor by command', () => {
  const [, { email: WHO = '', id: ID = '' } = {}, { id: OTHER = '' } = {}] = DEMO_ACCOUNTS;
  const SECRET = 'first secret of the tests, opens nothing';
  const NEXT = 'second secret of the tests, opens nothing';
  const LOST = 'a secret that nobody has any more, alas';

  const place = filledInstallation();
  const command = inProcess(place);
  let database: Database;
  let keysAtStart: object[];
  /** What the last command wrote. */
  let out = '';
  let err = '';

  async function hygie(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<number | null> {
    const { code, stdout, stderr } = await command(args, { env, input });
    [out, err] = [stdout, stderr];
    return code;
  }

  beforeAll(async () => {
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
    keysAtStart = await database('service_keys').whereNot({ purpose: 'lock' });
  });
  beforeEach(async () => {
    for (const table of ['second_factors', 'recovery_codes', 'passkeys']) await database(table).delete();
  });
  afterAll(async () => {
    await database.destroy();
  });
  // A key is derived once for each of them.
  const encryptionOf = Object.fromEntries(
    ['', SECRET, NEXT, LOST].map((secret) => [secret, createEncryption(secret ? [secret] : [])]),
  );
  const factors = (secret = '') => openSecondFactors(database, encryptionOf[secret] as Encryption);

  /** Sets up a second factor as a person does; returns the app's secret and the recovery codes. */
  async function setUp(account: string, secret?: string) {
    const proposal = await factors(secret).propose(account);
    const app = await factors(secret).secretOf(account, proposal);
    const added = await factors(secret).setUp(account, proposal, totp(app, stepAt(epochSeconds())));
    return { app, codes: added?.codes ?? [] };
  }

  const eventsOf = async (event: 'second-factor.removed' | 'account.unlocked' | 'key.encrypted') =>
    openAuditEvents(database).search({ limit: 100, events: [event] });
  const shown = async () => {
    expect(await hygie(['accounts', 'show', WHO, '--json'])).toBe(0);
    return JSON.parse(out);
  };

  it('SEC-41 check shows who demands one', async () => {
    const client = { id: 'app', name: 'App', type: 'browser', callbackUrls: ['https://app.example/'] };
    place.configure('service.yaml', 'secondFactor: required');
    place.configure(
      'clients.yaml',
      JSON.stringify({ clients: [client, { ...client, id: 'b', secondFactor: 'required' }] }),
    );
    expect(await hygie(['check', '--json'])).toBe(0);
    const { settings, clients } = JSON.parse(out);
    expect(settings.secondFactor).toBe('required');
    expect(clients.map((one: object) => 'secondFactor' in one && one.secondFactor)).toEqual([false, 'required']);
    place.configure('service.yaml', '');
    place.configure('clients.yaml', '');
  });

  it('SEC-41 accounts show says whether there is one, since when, and how many recovery codes are left', async () => {
    expect((await shown()).secondFactor).toBeNull();
    await hygie(['accounts', 'show', WHO]);
    expect(out).toMatch(/^second factor +none$/m);
    place.configure('service.yaml', 'secondFactor: required');
    await hygie(['accounts', 'show', WHO]);
    expect(out).toMatch(/^second factor +none; it is set up at the next sign-in/m);
    place.configure('service.yaml', '');

    const before = epochSeconds();
    const { app, codes } = await setUp(ID);
    expect((await shown()).secondFactor).toEqual({ since: expect.any(Number), recoveryCodes: 8 });
    expect((await shown()).secondFactor.since).toBeGreaterThanOrEqual(before);
    await factors().take(ID, codes[0] ?? '');
    await hygie(['accounts', 'show', WHO]);
    expect(out).toMatch(/^second factor +since \d{4}-\d\d-\d\dT\S+Z, recovery codes left: 7$/m);
    for (const code of codes.slice(1)) await factors().take(ID, code);
    await hygie(['accounts', 'show', WHO]);
    expect(out).toMatch(/^second factor +since \S+, no recovery code left$/m);
    // Nothing of it itself.
    await shown();
    const row = await database('second_factors').where({ account_id: ID }).first();
    for (const secret of [row.secret, app.toString('base64url'), ...codes]) expect(out).not.toContain(secret);
  });

  describe('SEC-41 accounts remove-second-factor', () => {
    beforeEach(async () => {
      await setUp(ID);
      await setUp(OTHER);
    });

    it('takes it away with its recovery codes, from this account alone, and is recorded', async () => {
      const recorded = (await eventsOf('second-factor.removed')).length;
      expect(await hygie(['accounts', 'remove-second-factor', WHO])).toBe(0);
      expect(out).toBe('');
      expect(err).toContain(`${WHO} has no second factor any more; sessions and tokens in use have ended.\n`);
      expect(err).toContain('The next sign-in asks only for the password');
      expect(err).toContain(`hygie -- accounts set-password ${ID}`);
      expect(await factors().find(ID)).toBeUndefined();
      expect(await database('recovery_codes').where({ account_id: ID })).toEqual([]);
      expect(await factors().find(OTHER)).toMatchObject({ recoveryCodes: 8 });
      const events = await eventsOf('second-factor.removed');
      expect(events).toHaveLength(recorded + 1);
      expect(events[0]).toMatchObject({ account: ID, actor: expect.stringMatching(/^operator:/) });
    });

    it('leaves a passkey and its recovery codes, and names the command for these', async () => {
      await openPasskeys(database).add(ID, newPasskey('one'), undefined);
      expect(await hygie(['accounts', 'remove-second-factor', WHO])).toBe(0);
      expect(err).toContain(`${WHO} has no authenticator app any more; sessions and tokens in use have ended.\n`);
      expect(err).toContain(
        `The account has a passkey: after the password, the next sign-in asks for it or for a recovery code. If it is lost, too: `,
      );
      expect(err).toContain(`hygie -- accounts remove-passkeys ${ID}\n`);
      expect(await database('recovery_codes').where({ account_id: ID })).toHaveLength(8);

      place.configure('service.yaml', 'secondFactor: required');
      await hygie(['accounts', 'show', WHO]);
      expect(out).toMatch(/^second factor +passkey, no authenticator app$/m);
      place.configure('service.yaml', '');
      expect(await hygie(['accounts', 'remove-second-factor', WHO])).toBe(1);
      expect(err).toContain(`${WHO} has no authenticator app. Nothing was changed.\n`);
      expect(err).toContain(`hygie -- accounts remove-passkeys ${ID}\n`);
    });

    it('is pointed to when a password is set, because who knew the one before may have set it up', async () => {
      const password = 'a phrase that nobody has thought of';
      expect(await hygie(['accounts', 'set-password', WHO], {}, `${password}\n`)).toBe(0);
      expect(err).toContain(`hygie -- accounts remove-second-factor ${ID}\n`);
      await factors().remove(ID);
      expect(await hygie(['accounts', 'set-password', WHO], {}, `${password}\n`)).toBe(0);
      expect(err).not.toContain('remove-second-factor');
    });

    it('where everybody has to have one, says that the next sign-in sets up another', async () => {
      place.configure('service.yaml', 'secondFactor: required');
      expect(await hygie(['accounts', 'remove-second-factor', ID])).toBe(0);
      expect(err).toContain('The next sign-in asks for the password, and then sets up another one.');
      place.configure('service.yaml', '');
    });
  });

  describe('SEC-39 a person who has to wait after wrong codes', () => {
    const limits = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };
    const outcome = async (account: string) => {
      const attempt = await createThrottle(openSignInLimiters(database, limits)).beginCode(account, '192.0.2.1');
      if (attempt.outcome === 'open') await attempt.untried();
      return attempt.outcome;
    };
    const lockOut = async (account: string) => {
      const throttle = createThrottle(openSignInLimiters(database, limits));
      for (let guess = 0; guess < limits.accountFailures; guess += 1) await throttle.beginCode(account, '192.0.2.1');
      expect(await outcome(account)).toBe('waiting');
    };

    it.each(['unlock', 'enable', 'remove-second-factor', 'set-password'])(
      'is let in again by accounts %s',
      async (action) => {
        await setUp(ID);
        await lockOut(ID);
        await hygie(['accounts', 'show', WHO]);
        expect(out).toMatch(/^sign-in +paused until \d{4}-/m);
        const unlocked = (await eventsOf('account.unlocked')).length;
        expect(await hygie(['accounts', action, WHO], {}, 'tortue violette 87')).toBe(0);
        expect(await outcome(ID)).toBe('open');
        expect(await eventsOf('account.unlocked')).toHaveLength(unlocked + 1);
      },
    );
  });

  describe('SEC-16 SEC-41 secrets of second factors at rest', () => {
    const rows = async (): Promise<{ account_id: string; secret: string }[]> =>
      database('second_factors').select('account_id', 'secret').orderBy('account_id');
    const keys = () => database('service_keys').select('id', 'material').orderBy('id');
    let app: Buffer;

    beforeEach(async () => {
      await database('service_keys').whereNot({ purpose: 'lock' }).delete();
      await database('service_keys').insert(keysAtStart);
      app = (await setUp(ID)).app;
      await setUp(OTHER);
    });

    it('in plain text: keys list counts them, and says why that matters and what to do', async () => {
      expect(await hygie(['keys', 'list'])).toBe(0);
      expect(err).toMatch(
        /^Secrets of second factors in plain text: 2\..*make their codes: set HYGIE_KEY_SECRET, restart/m,
      );
      expect(await hygie(['keys', 'list', '--json'], { HYGIE_KEY_SECRET: SECRET })).toBe(0);
      expect(err).toMatch(
        /^Secrets of second factors in plain text: 2\..*make their codes: run `.*hygie -- keys encrypt`\.$/m,
      );
      expect(JSON.parse(out)).toHaveLength(4);
    });

    it('keys encrypt encrypts them with the keys, reports how many, and records it; codes stay good', async () => {
      expect(await hygie(['keys', 'encrypt', '--json'], { HYGIE_KEY_SECRET: SECRET })).toBe(0);
      expect(err).toContain('Encrypted: 4.\nEncrypted secrets of second factors: 2.\n');
      const changes: object[] = JSON.parse(out);
      expect(changes).toHaveLength(5);
      expect(changes.at(-1)).toEqual({ what: 'encrypted', kind: 'second-factors', count: 2 });
      for (const { secret } of await rows()) expect(isEncrypted(secret)).toBe(true);
      expect(await eventsOf('key.encrypted')).toContainEqual(
        expect.objectContaining({
          actor: expect.stringMatching(/^operator:/),
          details: { kind: 'second-factors', count: 2 },
        }),
      );
      expect(await factors(SECRET).take(ID, totp(app, stepAt(epochSeconds()) + 1))).toBe('code');
      await hygie(['keys', 'list'], { HYGIE_KEY_SECRET: SECRET });
      expect(err).not.toContain('econd factors');
    });

    it('one that cannot be decrypted, or a key: refused with the account, nothing is changed, keys list reports it', async () => {
      await hygie(['keys', 'encrypt'], { HYGIE_KEY_SECRET: SECRET });
      await factors().remove(OTHER);
      await setUp(OTHER, LOST);
      const change = { HYGIE_KEY_SECRET: NEXT, HYGIE_KEY_SECRET_OLD: SECRET };
      const before = [await rows(), await keys()];
      expect(await hygie(['keys', 'encrypt', '--json'], change)).toBe(1);
      expect(out).toBe('');
      expect(err).toMatch(new RegExp(`not set: 1\\.\\n  Accounts: ${OTHER}\\n  Remedy: .*remove-second-factor`, 's'));
      expect([await rows(), await keys()]).toEqual(before);
      expect(await hygie(['keys', 'list'], change)).toBe(0);
      expect(err).toContain(`  Accounts: ${OTHER}\n`);
      expect(await hygie(['keys', 'encrypt'], { HYGIE_KEY_SECRET: LOST })).toBe(1);
      expect(err).toContain('does not open the keys in the database');
      expect([await rows(), await keys()]).toEqual(before);
    });

    it('the secret is changed, and a second time there is nothing to do', async () => {
      await hygie(['keys', 'encrypt'], { HYGIE_KEY_SECRET: SECRET });
      const change = { HYGIE_KEY_SECRET: NEXT, HYGIE_KEY_SECRET_OLD: SECRET };
      expect(await hygie(['keys', 'encrypt'], change)).toBe(0);
      expect(err).toContain('Encrypted: 4.\nEncrypted secrets of second factors: 2.\n');
      const mine = (await rows()).find(({ account_id }) => account_id === ID);
      expect(await factors(NEXT).secretOf(ID, mine?.secret ?? '')).toEqual(app);
      const recorded = (await eventsOf('key.encrypted')).length;
      expect(await hygie(['keys', 'encrypt', '--json'], { HYGIE_KEY_SECRET: NEXT })).toBe(0);
      expect(err).toMatch(/Every key is encrypted with this secret\.\n$/);
      expect(JSON.parse(out)).toEqual([]);
      expect(await eventsOf('key.encrypted')).toHaveLength(recorded);
    });
  });
});
