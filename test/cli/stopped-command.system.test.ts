// A command that changes an account makes the change, its record in the audit trail and the mail about it in one transaction: killed or
// refused in between it has done nothing, and a repeated one does all of it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createThrottle } from '#openid/sign-in/throttle.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, inherited, installation, LAUNCH } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

const WHO = 'zoe@clinic.example';
const LIMITS = { accountFailures: 10, browserFailures: 10, addressFailures: 50, failureWindow: 900 };
const TABLES = [
  'accounts',
  'deleted_accounts',
  'passkeys',
  'second_factors',
  'recovery_codes',
  'consents',
  'oidc_records',
];
const ALL = [...TABLES, 'rate_limits', 'mail_queue', 'audit_events', 'audit_chain'];

async function contents(database: Database): Promise<Record<string, string[]>> {
  const rows = await Promise.all(ALL.map(async (table) => [table, await database(table)] as const));
  return Object.fromEntries(rows.map(([table, all]) => [table, all.map((row) => JSON.stringify(row)).sort()]));
}

/** Lets no row into a table until `database` is told `undo`. */
async function refuseRows(database: Database, table: string): Promise<() => Promise<unknown>> {
  if (database.client.config.client === 'pg') {
    await database.raw(`alter table ${table} add constraint no_more check (false) not valid`);
    return () => database.raw(`alter table ${table} drop constraint no_more`);
  }
  await database.raw(`create trigger no_more before insert on ${table} begin select raise(abort, 'no more rows'); end`);
  return () => database.raw('drop trigger no_more');
}

/** Zoé has all that a command can take away, and has to wait after wrong codes. */
async function fill(database: Database): Promise<string> {
  const [{ id = '' } = {}] = await openAccounts(database).create([{ email: WHO, name: 'Zoé Martin' }]);
  const factors = openSecondFactors(database, createEncryption([]));
  const proposal = await factors.propose(id);
  await factors.setUp(id, proposal, totp(await factors.secretOf(id, proposal), stepAt(epochSeconds())));
  const passkey = { credentialId: 'c', name: 'Phone', userHandle: 'h', publicKey: 'k', counter: 0, transports: [] };
  await openPasskeys(database).add(id, { ...passkey, synced: true, aaguid: '' }, undefined);
  await openConsents(database).give(id, 'portal', ['openid'], 60);
  const throttle = createThrottle(openSignInLimiters(database, LIMITS));
  for (let guess = 0; guess < LIMITS.accountFailures; guess += 1) await throttle.beginCode(id, '192.0.2.1');
  return id;
}

interface Step {
  command: readonly string[];
  event: string;
  /** Whether the person is sent a mail. */
  mails?: boolean;
  input?: string;
}

const STEPS: readonly Step[] = [
  {
    command: ['add', '--email', 'ana@clinic.example', '--name', 'Ana', '--invite'],
    event: 'account.added',
    mails: true,
  },
  { command: ['import', 'people.csv', '--invite'], event: 'account.imported', mails: true },
  { command: ['invite', WHO], event: 'account.invited', mails: true },
  { command: ['unlock', WHO], event: 'account.unlocked' },
  { command: ['set-name', WHO, '--name', 'Zoé M'], event: 'account.renamed' },
  { command: ['set-email', WHO, WHO, '--email-verified'], event: 'account.email-verified' },
  { command: ['link', WHO, '--practitioner', '810000000001'], event: 'account.linked' },
  { command: ['withdraw', WHO, '--client', 'portal'], event: 'consent.withdrawn' },
  { command: ['end-sessions', WHO], event: 'account.sessions-ended' },
  { command: ['remove-second-factor', WHO], event: 'second-factor.removed', mails: true },
  { command: ['remove-passkeys', WHO], event: 'passkey.removed', mails: true },
  {
    command: ['set-password', WHO],
    event: 'account.password-set',
    mails: true,
    input: 'a phrase that nobody knows 42',
  },
  { command: ['disable', WHO], event: 'account.disabled' },
  { command: ['delete', WHO, '--yes'], event: 'account.deleted', mails: true },
];

describe.each(bothEngines('cli/stopped-command.system'))('SEC-67 a change of which a step fails (%s)', (engine) => {
  let place: Installation;
  let hygie: Installation['hygie'];
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(async () => {
    const { settings } = opened;
    place = installation(
      settings.engine === 'postgresql' ? { DATABASE_URL: settings.url } : { HYGIE_DATA: dirname(settings.file) },
    );
    hygie = inProcess(place);
    writeFileSync(join(place.folder, 'people.csv'), 'email,name\nbea@clinic.example,Béa\nzia@clinic.example,Zia\n');
    await fill(opened.database);
  });

  // In this order: what one has changed, the next one meets.
  it.each(STEPS)(
    'accounts $command.0 leaves nothing, and is repeated',
    async ({ command, event, mails = false, input = '' }) => {
      const { database } = opened;
      const words = command.map((word) => (word === 'people.csv' ? join(place.folder, word) : word));
      const run = () => hygie(['accounts', ...words], { input });
      const before = await contents(database);
      for (const table of mails ? ['audit_events', 'mail_queue'] : ['audit_events']) {
        const undo = await refuseRows(database, table);
        const { code } = await run();
        await undo();
        expect([table, code]).toEqual([table, 1]);
        expect(await contents(database)).toEqual(before);
      }
      const done = await run();
      expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
      const { audit_events: records = [], mail_queue: queue = [] } = await contents(database);
      expect(records.filter((record) => record.includes(`"${event}"`))).toHaveLength(
        event === 'account.invited' ? 4 : 1,
      );
      expect(queue.some((mail) => !before['mail_queue']?.includes(mail))).toBe(mails);
    },
  );
});

const STOPS: readonly [NodeJS.Signals, string, ...string[]][] = [
  ['SIGKILL', 'delete', '--yes'],
  ['SIGTERM', 'remove-second-factor'],
];

it.each(STOPS)(
  'SEC-67 %s while accounts %s waits to write its record: nothing was changed',
  async (signal, ...command) => {
    const { database, settings, close } = await openTestDatabase('postgresql');
    const place = installation({ DATABASE_URL: settings.engine === 'postgresql' ? settings.url : '' });
    try {
      const id = await fill(database);
      const before = await contents(database);
      const trail = await database.transaction();
      await trail.raw('lock table audit_chain in exclusive mode');
      const [action, ...options] = command;
      const args = [LAUNCH, 'accounts', action, id, ...options];
      const child = spawn(process.execPath, args, { env: { ...inherited(), ...place.environment } });
      const ended = once(child, 'exit');
      const waiting = () => trail('pg_locks').where({ granted: false }).first('pid');
      await until(async () => (await waiting()) !== undefined, 'it waits for the chain');
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      await trail.commit();
      // Waits until the server has given the transaction up.
      await database.transaction((other) => other('accounts').where({ id }).forUpdate().first('id'));
      expect(await contents(database)).toEqual(before);
    } finally {
      await close();
    }
  },
);
