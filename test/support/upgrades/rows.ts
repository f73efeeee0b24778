// A row of every table, written by the store, and what people do with it. An upgrade test loads rows that an earlier release wrote, and
// uses them by the store of today: they have to mean what they meant.

import { createEncryption } from '#shared/crypto/encryption.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { IdOfDeletedAccount, openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openPictures } from '#store/accounts/pictures.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import type { Database } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { isSandbox, markSandbox } from '#store/database/sandbox-mark.ts';
import { openInstances } from '#store/instances.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import type { TableName } from '#store/rows.ts';
import { DIRECTORY_ROWS } from './directory-rows.ts';
import type { Rows, Written } from './written.ts';

const SECRET = 'a-secret-of-the-fixtures-that-opens-nothing';
/** Seconds until the year 2090, so that nothing expires. */
const LONG = 2_000_000_000;
const CLIENT = 'upgrade';
const SCOPES = ['openid', 'email'];
const PERSON = {
  id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700003',
  email: 'noemie.vasseur@demo.example',
  emailVerified: true,
  name: 'Noémie Vasseur',
  given: 'Noémie',
  family: 'Vasseur',
  nickname: 'Noé',
  profile: 'https://clinic.example/noemie-vasseur',
  language: 'fr',
  practitioners: ['819082680976'],
  workspaces: ['F690000013'],
};
const DELETED = { id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700004', email: 'parti@demo.example', name: 'Parti' };
const PASSKEY = {
  credentialId: 'WQn-eWxpBASw7oAPE7EsYGz__9VGGJAS6Rh8IHB5RkY',
  userHandle: 'zbQCHFTDWDsdEbje3oatpNsbWleR1skQWBelIsihAp4',
  publicKey: 'pQECAyYgASFYIHrveB9Uf8clgVHILUV-eFQDs27KYRvxCxlvLg5z7LK9IlgghBApstNBmTREmmSoo0aOK6hhHvLsKXzwy7gjOSltpPg',
  counter: 41,
  transports: ['internal', 'hybrid'],
  synced: true,
  aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d',
  name: 'Téléphone de Noémie',
};
const TOPIC = 'account.password-changed';
const MAIL = { kind: 'notice', topic: TOPIC, language: 'fr', details: { byOperator: true } } as const;
const ENDED = { clientId: CLIENT, accountId: PERSON.id, sid: 'session-that-ended' };
const SESSION = { csrf: 'csrf-token', language: 'fr' };
const REFRESH = { accountId: PERSON.id, clientId: CLIENT, grantId: 'grant', kind: 'RefreshToken' };
const INSTANCE = { id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700005', name: 'host:3000', release: '1.0.0', clockAhead: 7 };
const LIFETIMES = { invitation: LONG, passwordReset: LONG, emailVerification: LONG, emailChange: LONG };
const LIMITS = { accountFailures: 5, addressFailures: 100, failureWindow: LONG };
const KEY = '{"kty":"oct","k":"bm90aGluZw"}';

const NOTHING = [undefined, undefined] as const;

const encryption = createEncryption([SECRET]);
const factorsOf = (database: Database) => openSecondFactors(database, encryption);

/** In an order in which what is written first is not changed by what follows: a change of an account ends the links to it. */
const ROWS: Record<TableName, Rows> = {
  accounts: {
    write: async (database) => void (await openAccounts(database).create([PERSON, DELETED])),
    use: async (database) => {
      const found = await openAccounts(database).findByEmail(PERSON.email.toUpperCase());
      return [found?.account, { ...PERSON, currentWorkspace: 'F690000013', status: 'active' }];
    },
  },
  deleted_accounts: {
    write: async (database) => {
      const { remove, request } = openAccountDeletion(database);
      await remove(DELETED.id);
      await request(PERSON.id, true);
    },
    use: async (database) => {
      const created = await openAccounts(database)
        .create([DELETED])
        .catch((error: Error) => error.message);
      return [created, new IdOfDeletedAccount(DELETED.id).message];
    },
  },
  second_factors: {
    write: async (database) => {
      const factors = factorsOf(database);
      const proposal = await factors.propose(PERSON.id);
      const secret = await factors.secretOf(PERSON.id, proposal);
      const set = await factors.setUp(PERSON.id, proposal, totp(secret, stepAt(Date.now() / 1000)));
      return { totpSecret: secret.toString('base64url'), recoveryCode: set?.codes[0] ?? '' };
    },
    use: async (database, { totpSecret = '' }) => {
      const code = totp(Buffer.from(totpSecret, 'base64url'), stepAt(Date.now() / 1000) + 1);
      return [await factorsOf(database).take(PERSON.id, code), 'code'];
    },
  },
  // Written with the second factor.
  recovery_codes: {
    write: async () => {},
    use: async (database, { recoveryCode = '' }) => {
      const { take } = factorsOf(database);
      return [
        [await take(PERSON.id, recoveryCode), await take(PERSON.id, recoveryCode)],
        ['recovery-code', 'wrong'],
      ];
    },
  },
  passkeys: {
    write: async (database) => void (await openPasskeys(database).add(PERSON.id, PASSKEY, undefined)),
    use: async (database) => {
      const passkeys = openPasskeys(database);
      const found = await passkeys.find(PASSKEY.credentialId);
      const { id = '' } = found ?? {};
      const used = [await passkeys.use(id, PASSKEY.counter), await passkeys.use(id, PASSKEY.counter + 1)];
      return [
        { found, used },
        { found: { ...PASSKEY, accountId: PERSON.id }, used: [false, true] },
      ];
    },
  },
  action_tokens: {
    write: async (database) => {
      const link = await openActionTokens(database, LIFETIMES).mint({
        purpose: 'password-reset',
        accountId: PERSON.id,
      });
      return { link: link?.token ?? '' };
    },
    use: async (database, { link = '' }) => {
      const { take } = openActionTokens(database, LIFETIMES);
      const follow = () => take('password-reset', link, async (_transaction, { account }) => account.id);
      return [
        [await follow(), await follow()],
        [PERSON.id, undefined],
      ];
    },
  },
  seen_devices: {
    write: async (database) => void (await openSeenDevices(database).note(PERSON.id, 'Firefox, Windows')),
    // A second device is new only beside the first one.
    use: async (database) => [await openSeenDevices(database).note(PERSON.id, 'Safari, iOS'), true],
  },
  picture_key: {
    write: async (database) => ({ picture: (await openPictures(database)).pathOf(PERSON.id) }),
    use: async (database, { picture }) => [(await openPictures(database)).pathOf(PERSON.id), picture],
  },
  oidc_records: {
    write: async (database) => await openOidcRecords(database).upsert('RefreshToken', 'refresh', REFRESH, LONG),
    use: async (database) => [
      await openOidcRecords(database).find('RefreshToken', 'refresh'),
      { ...REFRESH, jti: 'refresh' },
    ],
  },
  consents: {
    write: async (database) => await openConsents(database).give(PERSON.id, CLIENT, SCOPES, LONG),
    use: async (database) => [await openConsents(database).find(PERSON.id, CLIENT, LONG), SCOPES],
  },
  page_sessions: {
    write: async (database) => {
      const cookie = { originalMaxAge: LONG, expires: new Date((Date.now() / 1000 + LONG) * 1000) };
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      openPageSessions(database).set('page-session', { cookie, ...SESSION } as never, done);
      await promise;
    },
    use: async (database) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      openPageSessions(database).get('page-session', (error, session) => resolve(error ?? session));
      return [await promise, SESSION];
    },
  },
  service_keys: {
    write: async (database) => {
      const material = await encryption.encrypt(KEY, 'key');
      await openServiceKeys(database).add({ id: 'key', kind: 'RS256', material, activeAt: 1 }, undefined);
    },
    use: async (database) => {
      const [key] = await openServiceKeys(database).list();
      const opened = await createEncryption([SECRET]).decrypt(key?.material ?? '', 'key');
      return [
        { ...key, opened },
        { id: 'key', kind: 'RS256', activeAt: 1, opened: KEY },
      ];
    },
  },
  logout_deliveries: {
    write: async (database) => await openLogoutDeliveries(database).add(ENDED),
    use: async (database) => {
      const taken = await openLogoutDeliveries(database).take({ most: 9, perClient: 9, except: [], lease: 60 });
      return [taken, [{ ...ENDED, attempts: 1 }]];
    },
  },
  mail_queue: {
    write: async (database) => void (await openMailQueue(database).enqueue({ ...MAIL, accountId: PERSON.id })),
    use: async (database) => {
      const taken = await openMailQueue(database).take({ most: 9, lease: 60 });
      return [taken, [{ ...MAIL, accountId: PERSON.id, attempts: 1 }]];
    },
  },
  rate_limits: {
    write: async (database) => void (await openSignInLimiters(database, LIMITS).code.consume('key', 2)),
    use: async (database) => [await openSignInLimiters(database, LIMITS).code.get('key'), { consumedPoints: 2 }],
  },
  leases: {
    write: async () => {},
    use: async (database) => [await openLease(database, 'cleanup').take(60), true],
  },
  instances: {
    write: (database) => openInstances(database).seen(INSTANCE),
    // One of an earlier release is gone by now, and comes again.
    use: async (database) => {
      const instances = openInstances(database);
      await instances.seen(INSTANCE);
      return [await instances.list(), [INSTANCE]];
    },
  },
  sandbox: {
    write: markSandbox,
    use: async (database) => [await isSandbox(database), true],
  },
  audit_events: {
    write: async (database) => {
      const record = { time: new Date().toISOString(), outcome: 'success', actor: 'service' } as const;
      await openAuditEvents(database, [SECRET]).append([{ ...record, event: 'service.started', details: { a: 'é' } }]);
    },
    use: async (database) => {
      const trail = await verifyTrail(database, await openSeals([SECRET]));
      return [trail, { faults: [], records: 1, sealed: 1 }];
    },
  },
  audit_chain: { write: async () => {}, use: async () => NOTHING },
  ...DIRECTORY_ROWS,
};

/** Writes a row into every table of an empty database. */
export async function writeRows(database: Database): Promise<Written> {
  const all: Written = {};
  for (const { write } of Object.values(ROWS)) Object.assign(all, await write(database));
  return all;
}

export async function useRows(database: Database, tables: readonly string[], written: Written) {
  const found: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [table, { use }] of Object.entries(ROWS)) {
    if (tables.includes(table)) [found[table], expected[table]] = await use(database, written);
  }
  return { found, expected };
}
