// operations.md: `accounts ...`, on both engines; SEC-17, SEC-40.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CHANGED_AT_SIGN_IN } from '#cli/accounts/change-accounts.ts';
import { createThrottle, pausedUntil } from '#openid/sign-in/throttle.ts';
import { matchingHashes } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openDatabase } from '#store/database/connection.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { type Engine, newDatabase } from '#support/databases.ts';

const PASSWORD = 'tortue violette 87';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An installation whose database is empty: `migrate` has not run. */
async function emptyInstallation(engine: Engine) {
  const database = await newDatabase(engine);
  const place = installation(database.settings.engine === 'postgresql' ? { DATABASE_URL: database.settings.url } : {});
  const settings: typeof database.settings =
    database.settings.engine === 'postgresql'
      ? database.settings
      : { engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') };
  return { place, settings, remove: database.remove };
}

it.each(bothEngines('cli/accounts'))(
  'operations.md: while there is no database on %s, commands that read or change are refused with the remedy, and change nothing',
  async (engine) => {
    const { place, settings, remove } = await emptyInstallation(engine);
    const hygie = inProcess(place);
    for (const args of [
      ['accounts', 'list'],
      ['directory', 'status'],
      ['directory', 'rollback'],
      ['accounts', 'disable', 'zoe@first.example'],
      ['keys', 'rotate'],
      ['audit'],
    ]) {
      const { code, stdout, stderr } = await hygie(args);
      expect([args, code, stdout]).toEqual([args, 1, '']);
      expect(stderr).toMatch(
        /^The database at \S+ is empty\.\nRemedy: set HYGIE_DATA \(or DATABASE_URL\)[\s\S]*npm run -s hygie -- migrate\n$/,
      );
    }
    expect(JSON.parse((await hygie(['migrate', '--status', '--json'])).stdout).applied).toEqual([]);
    if (settings.engine === 'sqlite') expect(existsSync(settings.file)).toBe(false);
    await remove();
  },
);

describe.each(bothEngines('cli/accounts'))('operations.md: accounts on %s', (engine) => {
  let place: Installation;
  let settings: Awaited<ReturnType<typeof newDatabase>>['settings'];
  let remove = async () => {};

  beforeAll(async () => {
    ({ place, settings, remove } = await emptyInstallation(engine));
    expect((await hygie(['migrate'])).code).toBe(0);
  });
  beforeEach(async () => {
    const database = openDatabase(settings);
    await database('accounts').delete();
    await database.destroy();
  });
  afterAll(() => remove());

  const hygie: Installation['hygie'] = (args, options) => inProcess(place)(args, options);
  const account = async (who: string) => JSON.parse((await hygie(['accounts', 'show', who, '--json'])).stdout);
  /** Whether the stored hash belongs to the password. */
  const opens = async (email: string, password: string) => {
    const database = openDatabase(settings);
    try {
      const found = await openAccounts(database).findByEmail(email);
      return (await matchingHashes(password, found?.passwordHash ? [found.passwordHash] : [])).length > 0;
    } finally {
      await database.destroy();
    }
  };

  const addJeanne = (...more: string[]) =>
    hygie(
      [
        ...['accounts', 'add', '--email', 'Jeanne@Clinique.example', '--name', 'Jeanne Exemple', ...more],
        ...['--nickname', 'Jeanne', '--picture', 'https://clinique.example/j.png', '--email-verified'],
        ...['--practitioner', '810000000001', '--practitioner', 'Practitioner/810000000002'],
        ...['--workspace', 'Organization/F1', '--workspace', 'F2'],
      ],
      { input: `${PASSWORD}\n` },
    );
  /** Adds an account without a password. */
  const addPaul = () => hygie(['accounts', 'add', '--email', 'paul@clinique.example', '--name', 'Paul']);

  it('add prints the UUID alone, and stores what was given', async () => {
    const { code, stdout, stderr } = await addJeanne('--password-stdin');
    // Where it was written, without the password of the database.
    const written = settings.engine === 'sqlite' ? settings.file : settings.url.replace(/\/\/[^/]*@/, '//');
    expect([code, stderr]).toEqual([0, `database: ${written} (development)\n${CHANGED_AT_SIGN_IN}\n`]);
    expect(stdout.trim()).toMatch(UUID);
    expect(await account(stdout.trim())).toMatchObject({
      id: stdout.trim(),
      email: 'Jeanne@Clinique.example',
      emailVerified: true,
      name: 'Jeanne Exemple',
      nickname: 'Jeanne',
      picture: 'https://clinique.example/j.png',
      practitioners: ['810000000001', '810000000002'],
      workspaces: ['F1', 'F2'],
      currentWorkspace: 'F1',
      status: 'active',
      hasPassword: true,
    });
    expect(await opens('jeanne@clinique.example', PASSWORD)).toBe(true);
  });

  // What follows differs in no statement between the engines (the store's contract suite runs on both).
  if (engine !== 'sqlite') return;

  it('SEC-40 a bad password is refused with the reason and not shown', async () => {
    await addJeanne('--password-stdin');
    for (const [password, reason] of [
      ['short', 'fewer than 12'],
      ['motdepasse2026', 'first that are tried'],
      ['Jeanne.Exemple!', 'name'],
    ]) {
      const { code, stdout, stderr } = await hygie(['accounts', 'set-password', 'jeanne@clinique.example'], {
        input: password ?? '',
      });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(reason);
      expect(stderr).not.toContain(password);
    }
    expect(await opens('jeanne@clinique.example', PASSWORD)).toBe(true);
  });

  it('set-password replaces the password and ends a pause after failed sign-ins; two lines are refused', async () => {
    await addPaul();
    const who = ['accounts', 'set-password', 'paul@clinique.example'];
    const database = openDatabase(settings);
    const limiters = openSignInLimiters(database, { accountFailures: 10, addressFailures: 100, failureWindow: 900 });
    const { begin } = createThrottle(limiters);
    for (let times = 0; times < 10; times += 1) await begin('paul@clinique.example', '192.0.2.1');
    const { code, stderr } = await hygie(who, { input: 'un autre mot secret' });
    expect(code).toBe(0);
    expect(stderr).toContain('The pause after failed sign-ins has ended.');
    expect(await pausedUntil(limiters, { id: 'any', email: 'paul@clinique.example' })).toBeUndefined();
    await database.destroy();
    expect(await opens('paul@clinique.example', 'un autre mot secret')).toBe(true);
    expect((await hygie(who, { input: 'un mot sur une ligne\net un autre\n' })).code).toBe(1);
    expect(await opens('paul@clinique.example', 'un autre mot secret')).toBe(true);
  });

  it('import takes semicolons, a byte order mark and Windows line ends; --dry-run changes nothing', async () => {
    const file = join(place.folder, 'good.csv');
    const text =
      '\uFEFFEmail;Name;Workspaces;Email_Verified\r\nx@clinique.example;"Du ""X""; Xavier";F1 Organization/F2;true\r\n\r\ny@clinique.example;Y;;\r\n';
    writeFileSync(file, text);
    expect(await hygie(['accounts', 'import', file, '--dry-run'])).toMatchObject({ code: 0, stdout: '' });
    const { code, stdout } = await hygie(['accounts', 'import', file]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\tx@clinique\.example\n[0-9a-f-]{36}\ty@clinique\.example\n$/);
    expect(await account('x@clinique.example')).toMatchObject({
      name: 'Du "X"; Xavier',
      workspaces: ['F1', 'F2'],
      emailVerified: true,
    });
  });
});
