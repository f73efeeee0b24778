// What waits, repeats itself or is shared: an outbox, a budget, a report, a value that is made once. Time is that of the tests.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent } from '#shared/audit/events.ts';
import { requireSpace, syncFolder } from '#shared/disk.ts';
import { nextAttempt, type OutboxEntry, startOutboxWorker } from '#shared/outbox-worker.ts';
import { oncePromised, sparingly, withinTime } from '#shared/promises.ts';
import { SharedBudget } from '#shared/shared-budget.ts';
import { createChallenges } from '#shared/webauthn/challenges.ts';
import { relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import { newFolder } from '#support/new-folder.ts';

describe('waits and shares', () => {
  const START = Date.parse('2026-11-28T12:00:00Z');
  beforeEach(() => {
    jest.useFakeTimers({ now: START });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('a budget that members share leaves as much for the others as one of them has', () => {
    const budget = new SharedBudget();
    const taken = Array.from({ length: 4 }, () => budget.take(6, 'greedy'));
    expect(taken).toEqual([undefined, undefined, undefined, 'share']);
    expect(Array.from({ length: 3 }, () => budget.take(6, 'other'))).toEqual([undefined, undefined, 'share']);
    expect([budget.take(6), budget.take(6)]).toEqual([undefined, 'budget']);
    for (const member of ['greedy', 'greedy', 'greedy', 'other', 'other']) budget.giveBack(member);
    expect(budget.unused).toBe(false);
    budget.giveBack();
    expect(budget.unused).toBe(true);
    expect(budget.take(1, 'greedy')).toBeUndefined();
  });

  it('an error that repeats itself is reported once a minute, another one at once', () => {
    const said: string[] = [];
    const report = sparingly(({ message }) => said.push(message));
    report(new Error('a'));
    jest.setSystemTime(START + 59_999);
    report(new Error('a'));
    jest.setSystemTime(START + 60_000);
    report(new Error('a'));
    report('b');
    expect(said).toEqual(['a', 'a', 'b']);
  });

  it('a value that is made at its first use is made once for all, and again after a failure', async () => {
    let made = 0;
    const get = oncePromised(async () => {
      made += 1;
      if (made === 1) throw new Error('not yet');
      return made;
    });
    await expect(get()).rejects.toThrow('not yet');
    expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  });

  it('an answer within a time is the answer, or the substitute after that time, and a failure stays one', async () => {
    const late = withinTime(new Promise(() => {}), 100, 'late');
    const seen: unknown[] = [];
    void late.then((value) => seen.push(value));
    await jest.advanceTimersByTimeAsync(99);
    expect(seen).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(seen).toEqual(['late']);
    expect(await withinTime(Promise.resolve(1), 100, 2)).toBe(1);
    await expect(withinTime(Promise.reject(new Error('no')), 100, 2)).rejects.toThrow('no');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('room on a disk is there or refused, with what is free and what is needed', async () => {
    const folder = newFolder();
    await requireSpace(folder, 0);
    await expect(requireSpace(folder, 2 ** 60)).rejects.toMatchObject({
      reasons: [
        expect.stringMatching(/^The disk of .* has \d+ MiB free, and 1099511627840 MiB are needed\.$/),
        'Remedy: make room there, or name a folder on a larger disk.',
      ],
    });
    await syncFolder(folder);
    await expect(syncFolder(`${folder}/nowhere`)).rejects.toThrow('ENOENT');
  });

  describe('SEC-71 the challenge of a passkey', () => {
    const at = (seconds: number, keys = ['new', 'old']) => createChallenges(keys, () => seconds);
    it('counts for its purpose, for 600 seconds, by any key', () => {
      const challenge = at(1000, ['old']).make('page');
      expect(Buffer.from(challenge, 'base64url').length).toBe(54);
      expect([1000, 1600, 1601].map((seconds) => at(seconds).isValid(challenge, 'page'))).toEqual([true, true, false]);
      expect([
        at(1000).isValid(challenge, 'other page'),
        at(1000, ['new']).isValid(challenge, 'page'),
        at(1000).isValid(`${challenge}AAAA`, 'page'),
        at(1000).isValid('', 'page'),
        new Set([1, 2].map(() => at(1000).make('page'))).size === 1,
      ]).toEqual([false, false, false, false, false]);
    });

    it('belongs to the host of the issuer, and to none that is a network address', () => {
      expect(relyingPartyOf('https://connect.example:8443/base', 'Hygie')).toEqual({
        id: 'connect.example',
        origin: 'https://connect.example:8443',
        name: 'Hygie',
      });
      for (const issuer of ['https://192.0.2.1', 'https://[2001:db8::1]'])
        expect(relyingPartyOf(issuer, 'x')).toBeUndefined();
    });
  });

  describe('an outbox', () => {
    it('tries again after 5 seconds, then after twice as long, up to the longest pause and the end of its time', () => {
      const createdAt = 1000;
      const limits = { longestPause: 60, within: 300 };
      const next = (attempts: number, now = createdAt) => nextAttempt({ attempts, createdAt }, now, limits);
      expect([1, 2, 3, 4, 5, 9].map((attempts) => next(attempts))).toEqual([1005, 1010, 1020, 1040, 1060, 1060]);
      expect([next(1, 1295), next(1, 1296)]).toEqual([1300, undefined]);
    });

    const NOW = START / 1000;
    const entry = (id: string, attempts = 1): OutboxEntry => ({ id, createdAt: NOW, attempts });
    /** A worker upon a list, with what it does in order. */
    function start(queued: OutboxEntry[], changes: Partial<Parameters<typeof startOutboxWorker<OutboxEntry>>[0]> = {}) {
      const done: unknown[] = [];
      const worker = startOutboxWorker<OutboxEntry>({
        queue: {
          end: async (id) => void done.push(['end', id]),
          postpone: async (id, at) => void done.push(['postpone', id, at - NOW]),
          putBack: async (id) => void done.push(['back', id]),
        },
        take: async (most) => queued.splice(0, most),
        atOnce: 2,
        send: async ({ id }) => ({ event: 'mail.sent', details: { id } }),
        reasonOf: (error) => (error as Error).message,
        retryAt: (_entry, _error, now) => now + 9,
        about: ({ id }) => ({ account: 'a', details: { id } }),
        events: { failed: 'mail.failed', givenUp: 'mail.given-up' },
        span: ({ id }) => ({ name: id, attributes: {} }),
        audit: { note: (event: AuditEvent) => void done.push(event) },
        log: { warn: (...said: unknown[]) => void done.push(said) } as never,
        texts: { failed: 'failed', notNoted: 'not noted', notTaken: 'not taken' },
        ...changes,
      });
      return { worker, done };
    }
    const fails = { send: () => Promise.reject(new Error('down')) };
    const facts = (id: string, more: object) => ({ account: 'a', details: { id, reason: 'down', ...more } });

    it('looks each second, sends, ends the entry, and notes the event', async () => {
      const { worker, done } = start([entry('1')]);
      await jest.advanceTimersByTimeAsync(999);
      expect(done).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect(done).toEqual([['end', '1'], { event: 'mail.sent', details: { id: '1' } }]);
      await worker.close();
    });

    it('notes the first failure and the last one, and logs those between', async () => {
      const first = start([entry('1'), entry('2', 2)], fails);
      first.worker.wake();
      await jest.advanceTimersByTimeAsync(0);
      expect(first.done).toHaveLength(4);
      expect(first.done).toEqual(
        expect.arrayContaining([
          ['postpone', '1', 9],
          ['postpone', '2', 9],
          { event: 'mail.failed', ...facts('1', { attempt: 1, againIn: 9 }) },
          [{ account: 'a', id: '2', reason: 'down', attempt: 2, againIn: 9 }, 'failed'],
        ]),
      );
      const last = start([entry('3', 4)], { ...fails, retryAt: () => undefined });
      last.worker.wake();
      await jest.advanceTimersByTimeAsync(0);
      expect(last.done).toEqual([['end', '3'], { event: 'mail.given-up', ...facts('3', { attempt: 4 }) }]);
      const silent = start([entry('4')], { ...fails, about: () => undefined });
      silent.worker.wake();
      await jest.advanceTimersByTimeAsync(0);
      expect(silent.done).toEqual([
        ['postpone', '4', 9],
        [{ reason: 'down', attempt: 1, againIn: 9 }, 'failed'],
      ]);
      await Promise.all([first, last, silent].map(({ worker }) => worker.close()));
    });

    it('sends no more at once than it may, takes the next ones when it has sent, and none while it is not ready', async () => {
      const sent: string[] = [];
      let free = () => {};
      let ready = false;
      const { worker } = start(
        ['1', '2', '3'].map((id) => entry(id)),
        {
          ready: () => ready,
          send: ({ id }) => {
            sent.push(id);
            return new Promise((resolve) => {
              free = () => resolve(undefined);
            });
          },
        },
      );
      worker.wake();
      await jest.advanceTimersByTimeAsync(5000);
      expect(sent).toEqual([]);
      ready = true;
      worker.wake();
      await jest.advanceTimersByTimeAsync(5000);
      expect(sent).toEqual(['1', '2']);
      free();
      await jest.advanceTimersByTimeAsync(0);
      expect(sent).toEqual(['1', '2', '3']);
    });

    it('puts back what it was sending when it closes, and looks no more', async () => {
      let looks = 0;
      const { worker, done } = start([], {
        take: async () => (looks++ === 0 ? [entry('1')] : []),
        send: (_entry, stopping) =>
          new Promise((_resolve, reject) => stopping.addEventListener('abort', () => reject(new Error('stopped')))),
      });
      worker.wake();
      await jest.advanceTimersByTimeAsync(0);
      await worker.close();
      worker.wake();
      await jest.advanceTimersByTimeAsync(5000);
      expect([done, looks]).toEqual([[['back', '1']], 1]);
    });

    it('says once that nothing can be taken, until it could, and that an end could not be kept', async () => {
      let broken = true;
      const { worker, done } = start([], {
        take: async () => {
          if (broken) throw new Error('away');
          return [];
        },
      });
      await jest.advanceTimersByTimeAsync(3000);
      expect(done).toEqual([[{ err: new Error('away') }, 'not taken']]);
      broken = false;
      await jest.advanceTimersByTimeAsync(1000);
      broken = true;
      await jest.advanceTimersByTimeAsync(1000);
      expect(done).toHaveLength(2);
      await worker.close();
      const full = start([entry('1')], {
        queue: {
          end: () => Promise.reject(new Error('full')),
          postpone: () => Promise.reject(new Error('full')),
          putBack: async () => {},
        },
      });
      full.worker.wake();
      await jest.advanceTimersByTimeAsync(0);
      expect(full.done).toEqual([[{ err: new Error('full') }, 'not noted']]);
      await full.worker.close();
    });
  });
});
