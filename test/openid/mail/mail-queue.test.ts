// SEC-74: what the worker of the mail queue does with each mail and notes of it, by a clock of the tests.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Message, nextAttempt, SendingFailed, startMailWorker } from '#openid/mail/mail-queue-worker.ts';
import type { QueuedMail } from '#store/outbox/mail-queue.ts';
import { noting } from '#support/noted-calls.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;

describe('a mail', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  const QUEUED = { id: '7', kind: 'invitation', accountId: 'a1', topic: '', details: {}, createdAt: NOW - 60 } as const;
  const queued = (more: Partial<QueuedMail>): QueuedMail => ({ ...QUEUED, attempts: 1, ...more });

  /** A worker upon these mails, with all that it does. */
  function started(
    taken: QueuedMail[],
    { send = async () => {}, message = { to: 'x' } as Message | null } = {} as Choices,
  ) {
    const done: unknown[] = [];
    const asked: unknown[] = [];
    const note = noting(done);
    const worker = startMailWorker({
      queue: {
        end: note('end'),
        postpone: note('postpone'),
        putBack: note('back'),
        take: async (wanted: unknown) => {
          asked.push(wanted);
          return taken.splice(0);
        },
      } as never,
      compose: async () => message ?? undefined,
      answerRequest: note('answer') as never,
      sender: { send: send as never, close: () => void done.push('closed') },
      audit: { note: (event: unknown) => void done.push(event) } as never,
      log: { error: note('error'), warn: note('warn'), info: note('info') },
    });
    return { done, asked, worker, run: () => jest.advanceTimersByTimeAsync(1000) };
  }
  interface Choices {
    send?: () => Promise<void>;
    message?: Message | null;
  }
  const details = { kind: 'notice', about: 'passkey.added' };
  const notice = (more: Partial<QueuedMail> = {}) => queued({ kind: 'notice', topic: 'passkey.added', ...more });

  it('is sent and noted; a request of a stranger is looked up and leaves no trace', async () => {
    const { done, asked, worker, run } = started([notice(), queued({ id: '8', attempts: 2 })]);
    await run();
    expect(asked[0]).toEqual({ most: 3, lease: 120 });
    expect(done).toHaveLength(4);
    expect(done).toEqual(
      expect.arrayContaining([
        ['end', '7'],
        { event: 'mail.sent', account: 'a1', details: { ...details, attempt: 1 } },
        { event: 'mail.sent', account: 'a1', details: { kind: 'invitation', attempt: 2 } },
      ]),
    );
    await worker.close();
    expect(done.at(-1)).toBe('closed');
    const request = queued({ accountId: '', kind: 'password-reset' });
    const stranger = started([request]);
    await stranger.run();
    expect(stranger.done).toEqual([
      ['answer', request],
      ['end', '7'],
    ]);
    await stranger.worker.close();
  });

  it('waits half a minute after the server failed, which is said once, and so is that it is over', async () => {
    const taken = [notice()];
    let fails = true;
    const send = async () => {
      if (fails) throw new SendingFailed('down', { ofServer: true });
    };
    const { done, asked, worker } = started(taken, { send });
    await jest.advanceTimersByTimeAsync(1000);
    const failure = {
      event: 'mail.failed',
      account: 'a1',
      details: { ...details, reason: 'down', attempt: 1, againIn: 5 },
    };
    expect(done.splice(0)).toEqual([
      ['error', { reason: 'down' }, 'mails cannot be sent: they are tried again'],
      ['postpone', '7', expect.any(Number)],
      failure,
    ]);
    const looks = asked.length;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(asked.length).toBe(looks);
    taken.push(notice({ attempts: 2 }));
    await jest.advanceTimersByTimeAsync(2000);
    expect(done.splice(0)).toEqual([
      ['postpone', '7', expect.any(Number)],
      ['warn', { account: 'a1', ...details, reason: 'down', attempt: 2, againIn: 10 }, 'a mail could not be sent'],
    ]);
    fails = false;
    taken.push(notice({ attempts: 3 }));
    await jest.advanceTimersByTimeAsync(32_000);
    expect(done[0]).toEqual(['info', 'mails are sent again']);
    done.length = 0;
    taken.push(notice());
    await jest.advanceTimersByTimeAsync(2000);
    expect(done).toEqual([['end', '7'], expect.objectContaining({ event: 'mail.sent' })]);
    await worker.close();
  });

  it('is tried for an hour or a day, with a quarter of an hour between at most', () => {
    const tried = (kind: QueuedMail['kind'], within: number) =>
      [0, 1].map((more) => nextAttempt({ kind, attempts: 20, createdAt: 0 }, within - 900 + more));
    const kinds = { invitation: 86_400, notice: 86_400, operator: 86_400 } as const;
    for (const [kind, within] of Object.entries(kinds))
      expect(tried(kind as never, within)).toEqual([within, undefined]);
    for (const kind of ['password-reset', 'email-verification', 'email-change'] as const)
      expect(tried(kind, 3600)).toEqual([3600, undefined]);
    const pauses = [1, 2, 3, 8, 9].map((attempts) => nextAttempt({ kind: 'notice', attempts, createdAt: 0 }, 0));
    expect(pauses).toEqual([5, 10, 20, 640, 900]);
  });
});
