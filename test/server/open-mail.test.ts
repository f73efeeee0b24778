// Which settings send mails, and what becomes of a request for a new password: nothing is queued, said or recorded of others.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { type Mails, openMail, sendsMail } from '#server/open-mail.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { createLog } from '#shared/log/log.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { until } from '#support/until.ts';

describe('open mail', () => {
  const SERVER = { host: '127.0.0.1', port: 1, security: 'starttls', from: 'connect@clinic.example' };

  let opened: TestDatabase;
  let shipped: Settings;
  let ids: Record<'active' | 'disabled', string>;
  let closing: (() => unknown)[];
  let events: AuditEvent[];
  let keys: string[];
  beforeAll(async () => {
    opened = await openTestDatabase('sqlite');
    shipped = await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: '/nonexistent' });
    const accounts = openAccounts(opened.database);
    const person = (email: string) => ({ email, emailVerified: true, name: 'Zoé Martin' });
    const [one, two] = await accounts.create([person('zoe@clinic.example'), person('gone@clinic.example')]);
    ids = { active: one?.id ?? '', disabled: two?.id ?? '' };
    await accounts.update(ids.disabled, { status: 'disabled' });
  });
  beforeEach(() => {
    [closing, events, keys] = [[], [], ['key']];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    await opened.database('mail_queue').delete();
  });
  afterAll(() => opened.close());

  function open(settings: object): Mails {
    const { database } = opened;
    const audit = {
      record: async (event: AuditEvent) => void events.push(event),
      note: () => {},
      close: async () => {},
    };
    const all: Settings = { ...shipped, ...settings };
    const stores = {
      mailQueue: openMailQueue(database),
      accounts: openAccounts(database),
      actionTokens: openActionTokens(database, all.lifetimes),
    };
    const log = createLog({ level: 'info', format: 'json' }, { write: () => {} });
    const options = { settings: all, stores, sealingKeys: () => keys, audit, log };
    return openMail(options, { add: (close) => void closing.push(close), close: async () => {} });
  }

  const queued = () => opened.database('mail_queue').select('kind', 'account_id');

  describe('mails are sent', () => {
    it.each([
      ['by the mail server, in production', { mode: 'production', mail: SERVER }, true, false],
      ['by the mail server, in development', { mode: 'development', mail: SERVER }, true, false],
      ['to the outbox of development', { mode: 'development', mail: undefined }, true, true],
      ['by nothing in production without a server', { mode: 'production', mail: undefined }, false, false],
    ])('%s', async (_, settings, sent, inOutbox) => {
      expect(sendsMail(settings as Settings)).toBe(sent);
      const mails = open(settings);
      expect([mails.outbox !== undefined, closing.length > 0]).toEqual([inOutbox, sent]);
      expect(await mails.enqueue({ kind: 'password-reset', accountId: ids.active })).toBe(sent);
      const asked = await mails.requestReset({ login: 'zoe@clinic.example', address: '192.0.2.1', language: 'fr' });
      expect(asked).toBe(sent);
      expect((await queued()).length > 0).toBe(sent);
    });
  });

  describe('a request for a new password', () => {
    /** Asks, and makes the look for due mails happen that would look the request up some seconds later. */
    async function ask(login: string, later = keys): Promise<Mails> {
      const intervals = jest.spyOn(globalThis, 'setInterval');
      const mails = open({});
      const [look] = intervals.mock.calls.find(([, every]) => every === 1000) ?? [];
      intervals.mockRestore();
      await mails.requestReset({ login, address: '192.0.2.1', language: 'en' });
      const requests = () => opened.database('mail_queue').where({ account_id: '' });
      expect(await requests()).toHaveLength(1);
      const [row] = await requests();
      expect(JSON.stringify(row)).not.toMatch(/(zoe|gone|nobody)@|192\.0\.2/);
      keys = later;
      await requests().update({ due_at: 1 });
      look?.();
      return mails;
    }
    const isAnswered = () =>
      until(async () => (await opened.database('mail_queue').where({ account_id: '' })).length === 0, 'answered');

    it('sends a link to an active account, in the language of the page, and records who asked from where', async () => {
      const mails = await ask('ZOE@clinic.example');
      await until(() => mails.outbox?.list().length === 1, 'the mail is in the outbox');
      expect(mails.outbox?.list()[0]).toMatchObject({ to: 'zoe@clinic.example', language: 'en' });
      const event = 'account.password-reset-requested';
      expect(events).toEqual([{ event, actor: 'unknown', account: ids.active, address: '192.0.2.1' }]);
    });

    it.each([
      ['an account that is disabled', 'gone@clinic.example', ['key']],
      ['a login that nobody has', 'nobody@clinic.example', ['key']],
      ['a request whose key is gone', 'zoe@clinic.example', ['another']],
    ])('does nothing for %s', async (_, login, now) => {
      const mails = await ask(login, now);
      await isAnswered();
      expect([mails.outbox?.list(), events]).toEqual([[], []]);
    });
  });
});
