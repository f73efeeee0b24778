// Fills the tables that a sign-in leaves empty, with the store of the release itself: a passkey, a picture, mails and the like of a person
// of their own, so that no row of the others changes.

import { generateKeyPairSync } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Settings } from '#config/settings.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import type { Database } from '#store/database/connection.ts';
import { isEmpty, tablesOf } from './dump.ts';
import { CLIENT } from './old-release.ts';

/** To whom the rows belong, and somebody whose account was deleted. */
export const PERSON = {
  id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700003',
  email: 'noemie.vasseur@demo.example',
  emailVerified: true,
  name: 'Noémie Vasseur',
};
export const DELETED = { ...PERSON, id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700004', email: 'parti@demo.example' };

/** What later releases know of a person besides; those before pass over it. */
const PROFILE = {
  given: 'Noémie',
  family: 'Vasseur',
  nickname: 'Noé',
  profile: 'https://clinic.example/noemie-vasseur',
  language: 'fr',
};

export const PASSKEY = {
  credentialId: 'WQn-eWxpBASw7oAPE7EsYGz__9VGGJAS6Rh8IHB5RkY',
  userHandle: 'zbQCHFTDWDsdEbje3oatpNsbWleR1skQWBelIsihAp4',
  publicKey: 'pQECAyYgASFYIHrveB9Uf8clgVHILUV-eFQDs27KYRvxCxlvLg5z7LK9IlgghBApstNBmTREmmSoo0aOK6hhHvLsKXzwy7gjOSltpPg',
  counter: 41,
  transports: ['internal', 'hybrid'],
  synced: true,
  aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d',
  name: 'Téléphone de Noémie',
};

export const NOTICE = {
  kind: 'notice',
  accountId: PERSON.id,
  topic: 'account.password-changed',
  language: 'fr',
  details: { byOperator: true },
} as const;
export const NEW_ADDRESS = {
  kind: 'email-change',
  accountId: PERSON.id,
  to: 'noemie.vasseur@clinic.example',
  language: 'fr',
} as const;

/** Of a client in a session that ended. */
export const ENDED = { clientId: CLIENT, accountId: PERSON.id, sid: 'session-of-the-fixtures-that-ended' };

/** Id of a session of our pages, and what is in it. */
export const PAGE_SESSION = 'page-session-of-the-fixtures';
export const PAGE_SESSION_CONTENT = { language: 'fr', csrf: 'csrf-token-of-the-fixtures' };

/** What is random in the rows. */
export interface Filled {
  recoveryCode?: string;
  /** Token of a link to a new password. */
  link?: string;
}

interface Release {
  database: Database;
  /** What the release exports from the file of this name. */
  // biome-ignore lint/suspicious/noExplicitAny: each release has types of its own.
  load(name: string): Promise<any>;
}

type Fill = (release: Release) => Promise<Filled | undefined>;

/** Where the table exists, in this order: what changes an account ends the links to it. */
const TABLES: Record<string, Fill> = {
  accounts: async ({ database, load }) => {
    await (await load('accounts')).openAccounts(database).create([{ ...PERSON, ...PROFILE }]);
  },
  recovery_codes: async ({ database, load }) => {
    // As of a service without a secret: the text is stored as it is. Two names, of two times.
    const same = async (text: string) => text;
    const plain = { encrypt: same, decrypt: same, seal: same, open: same };
    const factors = (await load('second-factors')).openSecondFactors(database, plain);
    const proposal = await factors.propose(PERSON.id);
    const code = totp(await factors.secretOf(PERSON.id, proposal), stepAt(Date.now() / 1000));
    const made: string[] | { codes: string[] } = await factors.setUp(PERSON.id, proposal, code);
    const [recoveryCode = ''] = Array.isArray(made) ? made : made.codes;
    return { recoveryCode };
  },
  passkeys: async ({ database, load }) => {
    await (await load('passkeys')).openPasskeys(database).add(PERSON.id, PASSKEY, undefined);
  },
  // By SQL: later releases keep the table for instances of the one before, and have no code for it.
  pictures: async ({ database }) => {
    const id = 'picture-of-the-fixtures-that-was-uploaded-00';
    await database('pictures').insert({ account_id: PERSON.id, id: id.slice(0, 43), bytes: Buffer.from('a picture') });
    await database('accounts')
      .where({ id: PERSON.id })
      .update({ picture: `/picture/${id.slice(0, 43)}.jpg` });
  },
  action_tokens: async ({ database, load }) => {
    const tokens = (await load('action-tokens')).openActionTokens(database, { passwordReset: 3600 });
    return { link: (await tokens.mint({ purpose: 'password-reset', accountId: PERSON.id })).token };
  },
  mail_queue: async ({ database, load }) => {
    const queue = (await load('mail-queue')).openMailQueue(database);
    for (const mail of [NOTICE, NEW_ADDRESS]) await queue.enqueue(mail);
  },
  logout_deliveries: async ({ database, load }) => {
    await (await load('logout-deliveries')).openLogoutDeliveries(database).add(ENDED);
  },
  page_sessions: async ({ database, load }) => {
    const cookie = { originalMaxAge: 3_600_000, expires: new Date(Date.now() + 3_600_000), httpOnly: true, path: '/' };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sessions = (await load('page-sessions')).openPageSessions(database);
    sessions.set(PAGE_SESSION, { cookie, ...PAGE_SESSION_CONTENT }, (error?: Error) =>
      error ? reject(error) : resolve(),
    );
    await promise;
  },
  deleted_accounts: async ({ database, load }) => {
    await (await load('accounts')).openAccounts(database).create([DELETED]);
    const deletion = (await load('delete-account')).openAccountDeletion(database);
    await deletion.remove(DELETED.id);
    await deletion.request(PERSON.id, true);
  },
  sandbox: async ({ database, load }) => {
    await (await load('sandbox-mark')).markSandbox(database);
  },
};

/** Where the table is empty: whatever a service of that time put in itself is there already. */
const EMPTY_TABLES: Record<string, Fill> = {
  consents: async ({ database, load }) => {
    await (await load('consents')).openConsents(database).give(PERSON.id, CLIENT, ['openid', 'email'], 365 * 86_400);
  },
  oidc_records: async ({ database, load }) => {
    const session = { kind: 'Session', uid: 'uid-of-the-fixtures', accountId: PERSON.id };
    await (await load('oidc-records'))
      .openOidcRecords(database)
      .upsert('Session', 'session-of-the-fixtures', session, 3600);
  },
  service_keys: async ({ database, load }) => {
    const keys = (await load('service-keys')).openServiceKeys(database);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const material = JSON.stringify(privateKey.export({ format: 'jwk' }));
    if (keys.addFirst) return keys.addFirst('signing', { id: 'key-of-the-fixtures', material });
    await keys.add({ id: 'key-of-the-fixtures', kind: 'RS256', material, activeAt: 0 }, undefined);
    // As it was: it says only that somebody added a key.
    return void (await database('service_keys').where({ purpose: 'lock' }).update({ created_at: 0 }));
  },
  directory_snapshots: async ({ database, load }) => {
    await (await load('catalogue')).registerSnapshot(database, {
      id: 'snapshot-of-the-fixtures',
      engine: 'sqlite',
      file: 'snapshot-of-the-fixtures.sqlite',
      createdAt: new Date(),
      editions: {},
      counts: { Practitioner: 1, PractitionerRole: 1, Organization: 1 },
      sourcesChecksum: '0'.repeat(64),
      bytes: 4096,
    });
  },
  // By SQL, as of `pictures`.
  sign_in_failures: async ({ database }) => {
    const row = {
      key: 'digest-of-an-address-in-the-fixtures',
      count: 2,
      expires_at: Math.floor(Date.now() / 1000) + 900,
    };
    await database('sign_in_failures').insert(row);
  },
};

/** Fills a database of the schema of the release whose code is in the folder. */
export async function fillTables(folder: string, settings: Settings['database']): Promise<Filled> {
  const store = join(folder, 'src', 'store');
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' });
  const load: Release['load'] = (name) => {
    const file = files.find((path) => basename(path) === `${name}.ts`);
    if (file === undefined) throw new Error(`${store} has no ${name}.ts`);
    return import(pathToFileURL(join(store, file)).href);
  };
  const database: Database = (await load('connection')).openDatabase(settings);
  try {
    const tables = await tablesOf(database);
    const filled: Filled = {};
    for (const [table, fill] of Object.entries(TABLES)) {
      if (tables.includes(table)) Object.assign(filled, await fill({ database, load }));
    }
    for (const [table, fill] of Object.entries(EMPTY_TABLES)) {
      if (tables.includes(table) && (await isEmpty(database, table))) await fill({ database, load });
    }
    return filled;
  } finally {
    await database.destroy();
  }
}
