// operations.md: what an operator asks of the commands day by day, on the run's own data: a locked-out person, an id that the
// directory does not hold, a search of the audit trail, a key secret that is not the right one.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createMissingKeys } from '#openid/keys/key-changes.ts';
import { createThrottle } from '#openid/sign-in/throttle.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { err, inProcess, out } from '#support/cli/in-process.ts';
import { filledInstallation } from '#support/cli/serving.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('day-to-day commands', () => {
  const WHO = DEMO_ACCOUNTS[1]?.email ?? '';
  const ID = DEMO_ACCOUNTS[1]?.id ?? '';

  const place = filledInstallation();
  const command = inProcess(place);
  let database: Database;

  const hygie = async (args: readonly string[], env: Record<string, string> = {}) =>
    (await command(args, { env })).code;
  const trail = () => openAuditEvents(database).search({ limit: 1000 });

  beforeAll(() => {
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  });
  afterAll(async () => {
    await database.destroy();
  });
  afterEach(() => void jest.restoreAllMocks());

  it('SEC-39 a person who has to wait after failed sign-ins is shown as such, and let in again by accounts unlock and by enable', async () => {
    const limits = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };
    const throttle = () => createThrottle(openSignInLimiters(database, limits));
    const lockOut = async () => {
      for (let guess = 0; guess < limits.accountFailures; guess += 1) await throttle().begin(WHO, '192.0.2.1');
    };
    const outcome = async () => {
      const attempt = await throttle().begin(WHO, '192.0.2.1');
      if (attempt.outcome === 'open') await attempt.untried();
      return attempt.outcome;
    };

    expect(await hygie(['accounts', 'show', WHO])).toBe(0);
    expect(out).not.toContain('paused');
    for (const [action, said] of [
      ['unlock', `${WHO} may sign in again at once.`],
      ['enable', 'The pause after failed sign-ins has ended.'],
    ] as const) {
      await lockOut();
      expect(await outcome()).toBe('waiting');
      await hygie(['accounts', 'show', WHO]);
      expect(out).toMatch(/^sign-in +paused until \d{4}-\d\d-\d\dT.* accounts unlock [\da-f-]{36}$/m);
      await hygie(['accounts', 'show', WHO, '--json']);
      expect(JSON.parse(out).pausedUntil).toBeGreaterThan(Date.now() / 1000);
      expect(await hygie(['accounts', action, WHO])).toBe(0);
      expect(err).toContain(said);
      expect(await outcome()).toBe('open');
    }
    const unlocked = (await trail()).filter(({ event }) => event === 'account.unlocked');
    expect(unlocked.map(({ account }) => account)).toEqual([ID, ID]);
  });

  it('operations.md: ids that the loaded directory does not hold are noted, and taken all the same', async () => {
    const known = DEMO_ACCOUNTS[0]?.practitioners?.[0] ?? '';
    const ids = ['--practitioner', known, '--practitioner', '999', '--workspace', 'F-none'];
    expect(await hygie(['accounts', 'add', '--email', 'new@clinic.example', '--name', 'New', ...ids])).toBe(0);
    expect(err).toMatch(
      /Note: the directory has no Practitioner\/999\nNote: the directory has no Organization\/F-none\n/,
    );
    expect(err).not.toContain(known);
    expect(await hygie(['accounts', 'link', 'new@clinic.example', '--practitioner', '998'])).toBe(0);
    expect(err.match(/Note: .*/g)).toEqual(['Note: the directory has no Practitioner/998']);
    const many = Array.from({ length: 12 }, (_, at) => `${900 + at}`);
    for (const [count, more] of [
      [10, []],
      [12, ['Note: the directory also lacks 2 others']],
    ] as const) {
      const given = many.slice(0, count).flatMap((id) => ['--practitioner', id]);
      expect(await hygie(['accounts', 'link', 'new@clinic.example', ...given])).toBe(0);
      const named = many.slice(0, 10).map((id) => `Note: the directory has no Practitioner/${id}`);
      expect(err.match(/Note: .*/g)).toEqual([...named, ...more]);
    }
  });

  it('operations.md: a national number that stands for an id is noted with the record of that number, before an import too', async () => {
    const [{ practitioners: [person = ''] = [], workspaces: [structure = ''] = [] } = {}] = DEMO_ACCOUNTS;
    const notes = [
      expect.stringMatching(
        `^Note: the directory has no Practitioner/${person.slice(1)}, but Practitioner/${person}: .+`,
      ),
      'Note: the directory has no Practitioner/997',
      expect.stringMatching(
        `^Note: the directory has no Organization/${structure.slice(1)}, but Organization/${structure}: .+`,
      ),
    ];
    const file = join(place.folder, 'people.csv');
    const ids = `${person.slice(1)} 997,${structure.slice(1)}`;
    writeFileSync(file, `email,name,practitioners,workspaces\nby-number@clinic.example,By Number,${ids}\n`);
    for (const dryRun of [['--dry-run'], []]) {
      expect(await hygie(['accounts', 'import', file, ...dryRun])).toBe(0);
      expect(err.match(/Note: .*/g)).toEqual(notes);
    }
  });

  describe('SEC-48 hygie audit', () => {
    const at = (time: number, rest: Partial<AuditRecord>): AuditRecord => ({
      time: new Date(time).toISOString(),
      event: 'clients.changed',
      outcome: 'success',
      actor: 'service',
      ...rest,
    });
    const day = 86_400_000;
    const started = Date.now();
    const today = started - (started % day);

    beforeAll(async () => {
      await openAuditEvents(database).append([
        at(today - day, { event: 'sign-in.failed', outcome: 'failure', account: ID, address: '2001:db8::7' }),
        at(today - 1, { event: 'audit.counted', outcome: 'failure', address: '2001:db8:0:0' }),
        at(today, {
          client: 'portail',
          details: { edit: 'changed', keys: ['logoutUrls +https://a.example/', 'par required'] },
        }),
      ]);
      place.configure('clients.yaml', 'clients: [{ id: mobile, name: Mobile }]');
    });

    it('finds by day, by client and by address; says who an account is', async () => {
      // The day does not end meanwhile.
      jest.spyOn(Date, 'now').mockReturnValue(today + day / 2);
      const events = async (...args: string[]) => {
        expect(await hygie(['audit', '--json', ...args])).toBe(0);
        return out.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as AuditRecord).event]));
      };
      expect(await events('--since', 'yesterday', '--until', 'today')).toEqual(['sign-in.failed', 'audit.counted']);
      expect(await events('--client', 'portail', '--event', 'clients')).toEqual(['clients.changed']);
      expect(await events('--address', '2001:db8::7')).toEqual(['sign-in.failed', 'audit.counted']);
      for (const [address, note] of [
        ['192.0.2.99', ''],
        ['192.0.3.0/24', ''],
        ['2001:db8:0:1', ''],
        ['300.1.1.1', ' 300.1.1.1 is no IP address.'],
      ] as const) {
        expect(await events('--address', address)).toEqual([]);
        expect(err).toContain(`No record matches.${note}\n`);
      }
      await hygie(['audit', '--event', 'sign-in']);
      expect(out).toContain(`${ID} ${WHO}`);
      await hygie(['audit', '--client', 'portail']);
      expect(out).toContain('edit=changed keys=logoutUrls +https://a.example/; par required\n');
    });

    it('distinguishes a client or an event that does not exist from one without records', async () => {
      expect(await hygie(['audit', '--client', 'mobile'])).toBe(0);
      expect(err).toBe('No record matches.\n');
      expect(await hygie(['audit', '--client', 'portail', '--since', '2020-01-01', '--until', '2020-01-02'])).toBe(0);
      expect(err).toBe('No record matches.\n');
      expect(await hygie(['audit', '--client', 'mobil'])).toBe(0);
      expect(err).toBe(
        'No record matches: there is no client "mobil" in clients.yaml, and no record of one. Did you mean "mobile"?\n',
      );
      expect(await hygie(['audit', '--event', 'signin'])).toBe(2);
      expect(err).toContain('Did you mean "sign-in"?');
    });
  });

  it('operations.md: the secret of the keys keys list says which keys it does not open; check, without one, what new keys would be', async () => {
    const secret = 'first secret of the tests, opens nothing';

    const settings = { keys: { cachedFor: 3600, secrets: [secret] }, lifetimes: { session: 43_200 } };
    await database('service_keys').whereNot({ purpose: 'lock' }).delete();
    await createMissingKeys(openKeyVault(database, settings as never));
    expect(await hygie(['keys', 'list'], { HYGIE_KEY_SECRET: 'second secret of the tests, opens nothing' })).toBe(0);
    expect(out.match(/ {2}encrypted, not opened by the present secret$/gm)).toHaveLength(4);
    expect(err).toContain('The secret that is set does not open the keys in the database');
    expect(await hygie(['keys', 'list'], { HYGIE_KEY_SECRET: secret })).toBe(0);
    expect(out.match(/ {2}encrypted$/gm)).toHaveLength(4);

    await database('service_keys').where({ purpose: 'ES256' }).update({ id: '-begins-so-1234_' });
    expect(await hygie(['keys', 'prune', '-begins-so-1234_'])).toBe(1);
    expect(err).toContain('"-begins-so-1234_" is in use.');

    place.configure('clients.yaml', 'clients: []');
    const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
    expect(await hygie(['check'], production)).toBe(0);
    expect(out).toMatch(
      /^ {2}Warning: no HYGIE_KEY_SECRET is set: the first start makes one in \S+key-secret\..*backup/m,
    );
    await hygie(['check'], { ...production, HYGIE_KEY_SECRET: secret });
    expect(out).not.toContain('plain text');
  });

  it('operations.md: a command with HYGIE_SANDBOX=1 beside a service that is no sandbox changes nothing there', async () => {
    const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
    const add = ['accounts', 'add', '--email', 'jeanne@hopital.example', '--given', 'Jeanne', '--family', 'Test'];
    expect(await hygie(add, production)).toBe(0);
    expect(await hygie(['accounts', 'disable', WHO], { ...production, HYGIE_SANDBOX: '1' })).toBe(1);
    expect(err).toMatch(/A sandbox refuses this database: it has \d accounts? .*Remedy: remove HYGIE_SANDBOX/s);
    expect(await hygie(['accounts', 'show', WHO], { ...production, HYGIE_SANDBOX: '1' })).toBe(0);
    expect(out).toMatch(/active/);
  });
});
