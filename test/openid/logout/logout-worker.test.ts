// OpenID Connect Back-Channel Logout 1.0 section 2.8: what the worker sends and notes of each token, by a clock of the tests.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NoReceiver, nextAttempt, startLogoutSender } from '#openid/logout/backchannel-logout.ts';
import type { Delivery } from '#store/outbox/logout-deliveries.ts';
import { noting } from '#support/noted-calls.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;

describe('logout tokens in the queue', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  const delivery = (more: object = {}) =>
    ({ id: '1', clientId: 'app', accountId: 'person', sid: 's', createdAt: NOW, attempts: 1, ...more }) as Delivery;
  type Send = (target: string, init: RequestInit) => Promise<Response>;
  function started(
    taken: Delivery[],
    send: Send,
    token: () => Promise<unknown> = async () => ({ url: 'https://a.example', token: 'T' }),
  ) {
    const done: unknown[] = [];
    const asked: unknown[] = [];
    const note = noting(done);
    const worker = startLogoutSender({
      deliveries: {
        end: note('end'),
        postpone: note('postpone'),
        putBack: note('back'),
        take: async (wanted: unknown) => {
          asked.push(wanted);
          return taken.splice(0);
        },
      } as never,
      token: token as never,
      fetch: send as never,
      audit: { note: (event: unknown) => void done.push(event) } as never,
      log: { warn: (...said: unknown[]) => void done.push(said) },
    });
    return { done, asked, worker, run: () => jest.advanceTimersByTimeAsync(1000) };
  }
  const who = { account: 'person', client: 'app' };

  it('are posted as forms, and noted', async () => {
    const sent: unknown[] = [];
    const { done, asked, worker, run } = started([delivery()], async (target, { method, body, headers }) => {
      sent.push([target, method, String(body), headers]);
      return new Response(null, { status: 204 });
    });
    await run();
    expect(asked[0]).toEqual({ most: 20, perClient: 3, except: [], lease: 30 });
    expect(sent).toEqual([
      ['https://a.example', 'POST', 'logout_token=T', { 'content-type': 'application/x-www-form-urlencoded' }],
    ]);
    expect(done).toEqual([
      ['end', '1'],
      { event: 'logout-token.delivered', ...who, details: { url: 'https://a.example', attempt: 1 } },
    ]);
    await worker.close();
  });

  it.each([
    [async () => new Response('x', { status: 202 }), 'it answered 202'],
    [() => Promise.reject(new Error('no route')), 'no route'],
    [() => Promise.reject(Object.assign(new Error(''), { code: 'ECONNRESET' })), 'ECONNRESET'],
    [() => Promise.reject(Object.assign(new Error(''), { name: 'Odd' })), 'Odd'],
    [() => Promise.reject(undefined), 'unknown'],
  ] as [Send, string][])('that failed are tried again, with the reason: %p', async (send, reason) => {
    const { done, worker, run } = started([delivery(), delivery({ id: '2', attempts: 2 })], send);
    await run();
    expect(done).toHaveLength(4);
    expect(done).toContainEqual({ event: 'logout-token.failed', ...who, details: { reason, attempt: 1, againIn: 5 } });
    expect(done).toContainEqual([
      { ...who, reason, attempt: 2, againIn: 10 },
      'a client could not be notified of a sign-out',
    ]);
    await worker.close();
  });

  it('that nobody takes end silently, and those of a client that is gone with a record', async () => {
    const none = started(
      [delivery()],
      async () => new Response('x'),
      async () => undefined,
    );
    await none.run();
    expect(none.done).toEqual([['end', '1']]);
    const gone = started(
      [delivery({ attempts: 3 })],
      async () => new Response('x'),
      () => Promise.reject(new NoReceiver('no such client')),
    );
    await gone.run();
    expect(gone.done).toEqual([
      ['end', '1'],
      { event: 'logout-token.given-up', ...who, details: { reason: 'no such client', attempt: 3 } },
    ]);
    await Promise.all([none, gone].map(({ worker }) => worker.close()));
  });

  it('of a client that did not answer rest for half a minute', async () => {
    const late = () => Promise.reject(Object.assign(new Error('late'), { name: 'TimeoutError' }));
    const { done, asked, worker, run } = started([delivery()], late);
    await run();
    expect(done).toContainEqual({
      event: 'logout-token.failed',
      ...who,
      details: { reason: 'no answer within 5 s', attempt: 1, againIn: 5 },
    });
    const excepted = () => (asked.at(-1) as { except: string[] }).except;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(excepted()).toEqual(['app']);
    await jest.advanceTimersByTimeAsync(2000);
    expect(excepted()).toEqual([]);
    await worker.close();
  });

  it('SEC-38 are tried for a day, with an hour between at most', () => {
    const next = (attempts: number, now: number) => nextAttempt({ attempts, createdAt: 0 }, now);
    expect([1, 2, 3, 10, 11].map((attempts) => next(attempts, 0))).toEqual([5, 10, 20, 2560, 3600]);
    expect([next(20, 82_800), next(20, 82_801)]).toEqual([86_400, undefined]);
  });
});
