// The queues of mails and of logout tokens, on both engines: each entry is taken by one, limits hold when many come at once, and nothing
// secret or personal stays.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { epochSeconds, openDatabase } from '#store/database/connection.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { type MailQueue, openMailQueue } from '#store/outbox/mail-queue.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

describe.each(bothEngines('store/outbox/outbox'))('queue of mails on %s', (engine) => {
  let queue: MailQueue;
  let people = 0;

  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    queue = openMailQueue(opened.database);
  });

  const account = async () => {
    people += 1;
    const [created] = await openAccounts(opened.database).create([
      { email: `mail-${people}@example.test`, name: 'Camille Test' },
    ]);
    return created?.id ?? '';
  };
  // SQLite's connections in one process would wait for each other within one thread.
  const anotherInstance = () => {
    if (engine === 'sqlite') return { database: opened.database, close: async () => {} };
    const database = openDatabase(opened.settings);
    return { database, close: () => database.destroy() };
  };
  const all = { most: 100, lease: 60 };

  it('SEC-58 of requests of strangers the newest of a login waits, 10,000 in all at most, and nothing of them stays', async () => {
    const request = { login: 'nobody@example.test', language: 'en', sealed: 'x' } as const;
    const asked = () => opened.database('mail_queue').where({ account_id: '' });
    for (const login of ['nobody@example.test', ' Nobody@EXAMPLE.test', 'other@example.test'])
      expect(await queue.request({ ...request, login, sealed: `sealed ${login}` })).toBe(true);
    const rows = await asked().select('topic', 'created_at', 'due_at');
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(Number(row.due_at) - Number(row.created_at)).toBeGreaterThan(1);
    const [row] = await asked().where('details', 'like', '%other%');
    const flood = Array.from({ length: 9_998 }, (_, place) => ({
      ...row,
      id: 1_000_000 + place,
      topic: `flood ${place}`,
    }));
    await opened.database.batchInsert('mail_queue', flood, 500);
    expect(await queue.request({ ...request, login: 'one-too-many@example.test' })).toBe(false);
    // One who asks again takes no more room.
    expect(await queue.request(request)).toBe(true);
    await asked().where('topic', 'like', 'flood%').delete();
    await asked().update({ due_at: epochSeconds() });
    const taken = await queue.take(all);
    expect(taken.map(({ details }) => details['sealed']).sort()).toEqual(['sealed other@example.test', 'x']);
    for (const { id } of taken) await queue.end(id);
    expect(await asked()).toEqual([]);
  });

  it('takes five of a kind an hour, and three of new devices a day, also when twenty come at once from two instances', async () => {
    const second = anotherInstance();
    try {
      const queues = [queue, openMailQueue(second.database)];
      const accountId = await account();
      const twenty = (mail: object) =>
        Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (queues[index % 2] as MailQueue).enqueue({ kind: 'password-reset', accountId, ...mail }),
          ),
        );
      const accepted = (results: boolean[]) => results.filter(Boolean).length;
      expect(accepted(await twenty({}))).toBe(5);
      expect(accepted(await twenty({ kind: 'notice', topic: 'sign-in.new-device' }))).toBe(3);
      expect(accepted(await twenty({ kind: 'notice', topic: 'account.password-changed' }))).toBe(5);
      await opened
        .database('mail_queue')
        .where({ account_id: accountId })
        .update({ created_at: epochSeconds() - 3601 });
      expect(await queue.enqueue({ kind: 'password-reset', accountId })).toBe(true);
      expect(await queue.enqueue({ kind: 'notice', topic: 'sign-in.new-device', accountId })).toBe(false);
      for (const { id } of await queue.take(all)) await queue.end(id);
    } finally {
      await second.close();
    }
  });

  it('gives each mail to one of two instances that look at the same time', async () => {
    const second = anotherInstance();
    try {
      const accounts = await Promise.all(Array.from({ length: 12 }, account));
      for (const accountId of accounts) await queue.enqueue({ kind: 'invitation', accountId });
      const share = { most: 4, lease: 60 };
      const looks = Array.from({ length: 6 }, (_, at) => (at % 2 ? openMailQueue(second.database) : queue));
      const taken: string[] = [];
      for (let round = 0; round < 6 && taken.length < 12; round += 1) {
        const shares = await Promise.all(looks.map((one) => one.take(share)));
        taken.push(...shares.flat().map(({ id }) => id));
      }
      expect(taken).toHaveLength(12);
      expect(new Set(taken).size).toBe(12);
      for (const id of taken) await queue.end(id);
    } finally {
      await second.close();
    }
  });
});

describe.each(bothEngines('store/outbox/outbox'))('queue of logout tokens on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeEach(() => opened.database('logout_deliveries').delete());

  it('of one client only so many are taken at once, and none of one that is passed over', async () => {
    const deliveries = openLogoutDeliveries(opened.database);
    for (const clientId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) {
      await deliveries.add({ clientId, accountId: 'person', sid: 's' });
    }
    const take = async (most: number, except: string[]) =>
      (await deliveries.take({ most, perClient: 3, except, lease: 30 })).map(({ clientId }) => clientId).sort();
    expect(await take(20, ['b'])).toEqual(['a', 'a', 'a', 'c']);
    expect(await take(2, [])).toHaveLength(2);
    expect(await take(20, [])).toHaveLength(1);
  });

  it('SEC-49 deliveries that a killed instance had taken come back to the others', async () => {
    const deliveries = openLogoutDeliveries(opened.database);
    const add = (sid: string) => deliveries.add({ clientId: 'app', accountId: 'person', sid });
    await Promise.all(['1', '2', '3', '4', '5'].map(add));
    const take = (most: number) => deliveries.take({ most, perClient: most, except: [], lease: 30 });
    const takes = await Promise.all([1, 2, 3].map(() => take(3)));
    const ids = takes.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const _round of rounds()) {
      if (ids.length >= 5) break;
      ids.push(...(await take(3)).map(({ id }) => id));
    }
    expect(await take(9)).toEqual([]);
    await opened.database('logout_deliveries').update({ due_at: opened.database.raw('due_at - 31') });
    expect((await take(9)).map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2]);
    await Promise.all(ids.map((id) => deliveries.putBack(id)));
    expect((await take(9)).map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2]);
  });
});
