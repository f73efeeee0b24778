// What a queue of mails or logout tokens holds of each entry, to the second: limits, leases, what is ended, put off and removed.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deliveryRows, type LogoutDeliveries, openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { type MailKind, type MailQueue, openMailQueue } from '#store/outbox/mail-queue.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000 + 999);
const database = () => openedForAll(() => openTestDatabase('sqlite'));

describe('mails in their queue', () => {
  const test = database();
  let queue: MailQueue;
  beforeEach(async () => {
    queue = openMailQueue(test.database);
    await test.database('mail_queue').delete();
    at(NOW);
  });
  afterEach(() => void jest.restoreAllMocks());
  const rows = () => test.database('mail_queue').orderBy('id');
  const all = { most: 100, lease: 60 };

  it('are kept with what is given, due at once, and counted from the first attempt', async () => {
    const given = {
      kind: 'notice',
      accountId: 'a',
      topic: 't',
      to: 'a@b.test',
      language: 'fr',
      details: { x: 1 },
    } as const;
    expect(await queue.enqueue(given)).toBe(true);
    const about = {
      kind: 'notice',
      topic: 't',
      account_id: 'a',
      address: 'a@b.test',
      language: 'fr',
      details: '{"x":1}',
    };
    const [row] = await rows();
    expect(row).toEqual({ id: row.id, ...about, created_at: NOW, due_at: NOW, attempts: 0 });
    await queue.enqueueFirst([{ kind: 'invitation', accountId: 'b' }]);
    expect((await rows())[1]).toMatchObject({ topic: '', address: null, language: null, details: '{}', due_at: NOW });
    at(NOW + 5);
    const taken = await queue.take(all);
    expect(taken).toEqual([
      { id: String(row.id), ...given, createdAt: NOW, attempts: 1 },
      {
        id: String(row.id + 1),
        kind: 'invitation',
        topic: '',
        accountId: 'b',
        details: {},
        createdAt: NOW,
        attempts: 1,
      },
    ]);
    expect((await rows()).map(({ due_at }) => due_at)).toEqual([NOW + 65, NOW + 65]);
    expect(await queue.waitingFor('invitation')).toEqual(['b']);
    await queue.end(taken[1]?.id ?? '');
    expect([await queue.waitingFor('invitation'), await queue.waitingFor('notice')]).toEqual([[], ['a']]);
    expect((await rows())[1]).toMatchObject({ due_at: null, address: null, details: null, attempts: 1 });
  });

  it.each<[MailKind, string, number, number]>([
    ['invitation', '', 10, 86_400],
    ['password-reset', '', 5, 3600],
    ['email-verification', '', 5, 3600],
    ['email-change', '', 5, 3600],
    ['notice', 'account.password-changed', 5, 3600],
    ['notice', 'sign-in.new-device', 3, 86_400],
    ['operator', 'fault', 1, 86_400],
  ])('of the kind %s (%s) are %i within %i seconds', async (kind, topic, most, within) => {
    const enqueue = (accountId = 'a') => queue.enqueue({ kind, topic, accountId });
    for (let count = 0; count < most; count += 1) expect(await enqueue()).toBe(true);
    expect([await enqueue(), await enqueue('b'), (await rows()).length]).toEqual([false, true, most + 1]);
    expect(await queue.enqueue({ kind, topic: 'other', accountId: 'a' })).toBe(true);
    at(NOW + within - 1);
    expect(await enqueue()).toBe(false);
    at(NOW + within);
    expect(await enqueue()).toBe(true);
    // Of those with a link, the newest of an account and kind waits.
    const waiting = (await rows()).filter(
      ({ account_id, topic: of, due_at }) => account_id === 'a' && of === topic && due_at !== null,
    );
    expect(waiting).toHaveLength(kind === 'notice' || kind === 'operator' ? most + 1 : 1);
  });

  it('of a clock that was ahead count no more once it is set back, but those of an instance a minute ahead do', async () => {
    const fault = { kind: 'operator', topic: 'backup.failed', accountId: '' } as const;
    at(NOW + 61);
    expect(await queue.enqueue(fault)).toBe(true);
    at(NOW + 1);
    expect(await queue.enqueue(fault)).toBe(false);
    at(NOW);
    expect(await queue.enqueue(fault)).toBe(true);
  });

  it('are taken as many as are wanted, the earliest first, and come back at the second to which they were put off', async () => {
    await queue.enqueueFirst(['a', 'b', 'c'].map((accountId) => ({ kind: 'notice', accountId })));
    const [a, b, c] = (await rows()).map(({ id }) => String(id));
    await queue.postpone(c ?? '', NOW - 9);
    const take = async (most: number) => (await queue.take({ most, lease: 60 })).map(({ accountId }) => accountId);
    expect(await take(1)).toEqual(['c']);
    await queue.postpone(a ?? '', NOW + 1);
    expect([await take(9), await queue.waiting()]).toEqual([['b'], { count: 3, since: NOW }]);
    at(NOW + 1);
    expect(await take(9)).toEqual(['a']);
    await queue.putBack(b ?? '');
    expect((await rows()).map(({ due_at, attempts }) => [due_at, attempts])).toEqual([
      [NOW + 61, 1],
      [NOW + 1, 0],
      [NOW + 60, 1],
    ]);
    for (const id of [a, b, c]) await queue.end(id ?? '');
    expect([await queue.waiting(), await queue.take(all)]).toEqual([{ count: 0 }, []]);
  });

  it('that ended count for a day; those that a clock has put off by more than a day are due now', async () => {
    await queue.enqueueFirst(['a', 'b', 'c'].map((accountId) => ({ kind: 'notice', accountId })));
    const [a, b, c] = (await rows()).map(({ id }) => String(id));
    for (const id of [a, b]) await queue.end(id ?? '');
    at(NOW + 86_399);
    expect(await queue.prune()).toBe(0);
    at(NOW + 86_400);
    expect([await queue.prune(1), await queue.prune(1), await queue.prune(1)]).toEqual([1, 1, 0]);
    at(NOW);
    await queue.postpone(c ?? '', NOW + 86_400);
    expect(await queue.hasten()).toBe(0);
    await queue.postpone(c ?? '', NOW + 86_401);
    at(NOW);
    expect([await queue.hasten(), (await rows())[0]?.due_at]).toEqual([1, NOW]);
  });

  it('SEC-74 a request of a stranger is due after two to five seconds, and takes the place of one for the same login', async () => {
    const request = (login: string, sealed: string) => queue.request({ login, language: 'en', sealed });
    expect([await request(' A@b.test', '1'), await request('a@B.test', '2'), await request('c@b.test', '3')]).toEqual([
      true,
      true,
      true,
    ]);
    const [first, second, ...others] = await rows();
    expect([first.details, second.details, others]).toEqual(['{"sealed":"2"}', '{"sealed":"3"}', []]);
    expect(first).toMatchObject({
      kind: 'password-reset',
      account_id: '',
      language: 'en',
      created_at: NOW,
      attempts: 0,
    });
    const delays = new Set<number>();
    for (let count = 0; count < 100; count += 1) {
      await request('a@b.test', '4');
      delays.add((await rows()).find(({ details }) => details.includes('4')).due_at - NOW);
    }
    expect([...delays].toSorted()).toEqual([2, 3, 4, 5]);
    at(NOW + 9);
    const taken = await queue.take(all);
    expect(taken.find(({ details }) => details['sealed'] === '3')).toMatchObject({
      accountId: '',
      language: 'en',
      attempts: 1,
    });
    for (const { id } of taken) await queue.end(id);
    expect(await rows()).toEqual([]);
  });
});

describe('logout tokens in their queue', () => {
  const test = database();
  let deliveries: LogoutDeliveries;
  beforeEach(async () => {
    deliveries = openLogoutDeliveries(test.database);
    await test.database('logout_deliveries').delete();
    at(NOW);
  });
  afterEach(() => void jest.restoreAllMocks());

  it('are one for each client of a session that has an id there', () => {
    const row = { account_id: 'a', created_at: NOW, due_at: NOW, attempts: 0 };
    const session = { accountId: 'a', authorizations: { app: { sid: 's' }, none: {}, web: { sid: 't' } } };
    expect(deliveryRows(JSON.stringify(session))).toEqual([
      { client_id: 'app', sid: 's', ...row },
      { client_id: 'web', sid: 't', ...row },
    ]);
    expect(deliveryRows('{}')).toEqual([]);
    expect(deliveryRows('{"authorizations":{"x":{"sid":"s"}}}')[0]?.account_id).toBe('');
  });

  it('are given as they were added, and end', async () => {
    await deliveries.add({ clientId: 'app', accountId: 'a', sid: 's' });
    expect(await deliveries.waiting()).toEqual({ count: 1, since: NOW });
    const share = { most: 9, perClient: 9, except: [], lease: 30 };
    const [taken] = await deliveries.take(share);
    expect(taken).toEqual({
      id: expect.any(String),
      clientId: 'app',
      accountId: 'a',
      sid: 's',
      createdAt: NOW,
      attempts: 1,
    });
    at(NOW + 29);
    expect(await deliveries.take(share)).toEqual([]);
    at(NOW + 30);
    expect(await deliveries.take(share)).toMatchObject([{ attempts: 2 }]);
    await deliveries.end(taken?.id ?? '');
    expect([await deliveries.waiting(), await test.database('logout_deliveries')]).toEqual([{ count: 0 }, []]);
  });

  it('are looked for among the first five hundred that are due; the rest comes with the next look', async () => {
    const row = (client_id: string, due_at: number) => ({
      client_id,
      account_id: 'a',
      sid: 's',
      created_at: 1,
      due_at,
      attempts: 0,
    });
    const many = Array.from({ length: 500 }, () => row('many', NOW - 5));
    await test.database.batchInsert(
      'logout_deliveries',
      [...many.slice(1), row('next', NOW - 4), row('last', NOW - 3), row('later', NOW + 1)],
      100,
    );
    const clients = async (except: string[] = []) =>
      (await deliveries.take({ most: 5, perClient: 2, except, lease: 60 })).map(({ clientId }) => clientId).toSorted();
    expect(await clients()).toEqual(['many', 'many', 'next']);
    expect(await clients()).toEqual(['last', 'many', 'many']);
    expect([await clients(['many']), await clients()]).toEqual([[], ['many', 'many']]);
  });
});
