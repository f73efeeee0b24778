// What people do with the rows of `fill.ts`, by the store of today: whether they mean what they meant to the release that wrote them.

import { expect } from '@jest/globals';
import { createComposer } from '#openid/mail/compose.ts';
import { startMailWorker } from '#openid/mail/mail-queue-worker.ts';
import type { Message } from '#openid/mail/message.ts';
import { NO_AUDIT } from '#shared/audit/events.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { IdOfDeletedAccount, openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openPictures, PICTURE_PATH } from '#store/accounts/pictures.ts';
import type { Database } from '#store/database/connection.ts';
import { isSandbox } from '#store/database/sandbox-mark.ts';
import { openMailQueue } from '#store/mail/mail-queue.ts';
import { openLogoutDeliveries } from '#store/oidc/logout-deliveries.ts';
import { until } from '#support/until.ts';
import {
  DELETED,
  ENDED,
  type Filled,
  NEW_ADDRESS,
  NOTICE,
  PAGE_SESSION,
  PAGE_SESSION_CONTENT,
  PASSKEY,
  PERSON,
} from './fill.ts';

const LIFETIMES = { invitation: 600, passwordReset: 600, emailVerification: 600, emailChange: 600 };

/** By table: of those that had rows before the migrations. */
const USES: Readonly<Record<string, (database: Database, filled: Filled) => Promise<void>>> = {
  accounts: async (database) => {
    const { account } = (await openAccounts(database).findByEmail(PERSON.email.toUpperCase())) ?? {};
    expect(account).toMatchObject({ ...PERSON, status: 'active', hasPassword: false });
  },
  page_sessions: async (database) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    openPageSessions(database).get(PAGE_SESSION, (error, session) => (error ? reject(error) : resolve(session)));
    expect(await promise).toMatchObject(PAGE_SESSION_CONTENT);
  },
  logout_deliveries: async (database) => {
    const taken = await openLogoutDeliveries(database).take({ most: 9, perClient: 9, except: [], lease: 60 });
    expect(taken).toMatchObject([{ ...ENDED, attempts: 1 }]);
  },
  recovery_codes: async (database, { recoveryCode = '' }) => {
    const factors = openSecondFactors(database, createEncryption([]));
    expect(await factors.take(PERSON.id, recoveryCode)).toBe('recovery-code');
    expect(await factors.take(PERSON.id, recoveryCode)).toBe('wrong');
  },
  passkeys: async (database) => {
    const passkeys = openPasskeys(database);
    const found = await passkeys.find(PASSKEY.credentialId);
    expect(found).toMatchObject({ ...PASSKEY, accountId: PERSON.id });
    const { id = '' } = found ?? {};
    expect(await passkeys.use(id, PASSKEY.counter)).toBe(false);
    expect(await passkeys.use(id, PASSKEY.counter + 1)).toBe(true);
  },
  pictures: async (database) => {
    expect(await openAccounts(database).find(PERSON.id)).not.toHaveProperty('picture');
    const { accountOf, pathOf } = await openPictures(database);
    expect(accountOf(pathOf(PERSON.id).replace(`${PICTURE_PATH}/`, ''))).toBe(PERSON.id);
  },
  action_tokens: async (database, { link = '' }) => {
    const { take } = openActionTokens(database, LIFETIMES);
    const follow = () => take('password-reset', link, async (_transaction, { account }) => account.id);
    expect([await follow(), await follow()]).toEqual([PERSON.id, undefined]);
  },
  mail_queue: async (database) => {
    const sent: Message[] = [];
    const { find } = openAccounts(database);
    const worker = startMailWorker({
      queue: openMailQueue(database),
      compose: createComposer({
        issuer: 'https://connect.clinic.example',
        branding: { name: 'Hygie', colour: '#0b5f6b' },
        find,
        links: openActionTokens(database, LIFETIMES),
      }),
      answerRequest: async () => {},
      sender: { send: async (message) => void sent.push(message), close: () => {} },
      audit: NO_AUDIT,
      log: { error: () => {}, warn: () => {}, info: () => {} },
    });
    worker.wake();
    await until(async () => (await openMailQueue(database).waiting()).count === 0, 'both mails are sent');
    await worker.close();
    expect(sent.sort((one, other) => (one.kind < other.kind ? -1 : 1))).toMatchObject([
      { kind: NEW_ADDRESS.kind, to: NEW_ADDRESS.to, languages: [NEW_ADDRESS.language] },
      { kind: NOTICE.kind, topic: NOTICE.topic, to: PERSON.email, languages: [NOTICE.language] },
    ]);
  },
  deleted_accounts: async (database) => {
    await expect(openAccounts(database).create([DELETED])).rejects.toThrow(IdOfDeletedAccount);
  },
  sandbox: async (database) => {
    expect(await isSandbox(database)).toBe(true);
  },
};

/** Uses the rows of these tables. */
export async function useRows(database: Database, tables: readonly string[], filled: Filled): Promise<void> {
  for (const [table, use] of Object.entries(USES)) if (tables.includes(table)) await use(database, filled);
}
