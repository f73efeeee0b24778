// What the audit trail keeps of many events, by number and time; how it waits for its database; and what is read and verified of its table.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { headText } from '#store/audit/audit-chain.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import {
  createAccountCounts,
  createRefusalCounts,
  KEPT_A_MINUTE,
  KEPT_OF_AN_ACCOUNT,
} from '#store/audit/record-counts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what is kept of many events', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());
  const keptOf = (times: number, keeps: () => boolean) => Array.from({ length: times }, keeps).filter(Boolean).length;

  it('of an account and kind: 120 an hour, 600 a day, and the rest in one record an hour', () => {
    expect(KEPT_OF_AN_ACCOUNT).toEqual({ inHour: 120, inDay: 600 });
    const counts = createAccountCounts();
    const keep = (times: number, account = 'a') => keptOf(times, () => counts.keeps('token.issued', account));
    expect([keep(121), keep(1, 'b'), keptOf(1, () => counts.keeps('token.revoked', 'a'))]).toEqual([120, 1, 1]);
    const counted = (count: number) => ({
      event: 'audit.counted',
      actor: 'account:a',
      account: 'a',
      details: { of: 'token.issued', count },
    });
    expect(counts.take(false)).toEqual({ events: [counted(1)], pending: false });
    expect(counts.take(false)).toEqual({ events: [], pending: false });
    expect(keep(2)).toBe(0);
    jest.advanceTimersByTime(HOUR - 1);
    expect([counts.take(false), keep(1)]).toEqual([{ events: [], pending: true }, 0]);
    jest.advanceTimersByTime(1);
    expect([counts.take(false), keep(121)]).toEqual([{ events: [counted(3)], pending: false }, 120]);
    for (let hour = 0; hour < 4; hour += 1) {
      jest.advanceTimersByTime(HOUR);
      expect([hour, keep(121)]).toEqual([hour, hour < 3 ? 120 : 0]);
    }
    jest.advanceTimersByTime(19 * HOUR - 1);
    expect(keep(1)).toBe(0);
    jest.advanceTimersByTime(1);
    expect([keep(121), counts.take(true).events[0]?.details]).toEqual([
      120,
      { of: 'token.issued', count: 1 + 3 + 121 + 1 + 1 },
    ]);
  });

  it('of accounts beyond those that are followed: their sum by kind', () => {
    const counts = createAccountCounts(1);
    keptOf(122, () => counts.keeps('token.issued', 'a'));
    counts.keeps('token.revoked', 'b');
    counts.keeps('token.issued', 'c');
    keptOf(121, () => counts.keeps('token.issued', 'd'));
    counts.keeps('token.issued', 'e');
    const event = { event: 'audit.counted', details: { of: 'token.issued', count: 3, accounts: 'all others' } };
    expect([counts.take(false), counts.take(false)]).toEqual([
      { events: [event], pending: false },
      { events: [], pending: false },
    ]);
  });

  it('of refusals: 120 of a network a minute, 240 of the one around it, 600 in all, fewer in the second half', () => {
    expect(KEPT_A_MINUTE).toEqual({ inAll: 600, narrow: 120, wide: 240, narrowLater: 5, wideLater: 10 });
    const refusals = createRefusalCounts();
    const refuse = (address: string, times: number) => keptOf(times, () => refusals.keeps('token.refused', address));
    expect([refuse('10.0.0.1', 121), refuse('10.0.0.2', 121), refuse('10.0.0.3', 1)]).toEqual([120, 120, 0]);
    expect(refuse('10.0.1.1', 60)).toBe(60);
    // Three hundred are kept: the second half begins.
    expect([refuse('10.0.2.1', 6), refuse('10.0.2.2', 6), refuse('10.0.2.3', 6)]).toEqual([5, 5, 0]);
    expect(refuse('10.0.1.2', 1)).toBe(0);
    for (let network = 0; network < 58; network += 1) refuse(`10.1.${network}.1`, 5);
    expect([refuse('10.2.0.1', 1), keptOf(1, () => refusals.keeps('sign-in.failed', '10.2.0.1'))]).toEqual([0, 1]);
    const counted = refusals.take().map(({ event, address, details }) => [event, address, details?.['count']]);
    expect(counted).toEqual([
      ['audit.counted', '10.0.2.3', 6],
      ['audit.counted', '10.0.0.1', 1],
      ['audit.counted', '10.0.0.2', 1],
      ['audit.counted', '10.0.0.3', 1],
      ['audit.counted', '10.0.2.1', 1],
      ['audit.counted', '10.0.2.2', 1],
      ['audit.counted', '10.0.1.2', 1],
      ['audit.counted', '10.2.0.1', 1],
    ]);
    jest.advanceTimersByTime(MINUTE - 1);
    expect(refuse('10.3.0.1', 1)).toBe(0);
    jest.advanceTimersByTime(1);
    expect([refuse('2001:db8:1:1::1', 121), refuse('2001:db8:1:2::1', 121), refuse('2001:db8:1:3::1', 1)]).toEqual([
      120, 120, 0,
    ]);
  });

  it('of refusals of more networks than are counted apart: first by the wider ones, then together', () => {
    const refusals = createRefusalCounts();
    for (let network = 0; network < 120; network += 1) refusals.keeps('token.refused', `9.${network}.0.1`);
    for (let time = 0; time < 480; time += 1) refusals.keeps('token.refused', `9.${time % 120}.1.1`);
    const address = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    // Ten thousand narrow networks in forty wide ones, then some of a wide network each.
    for (let at = 0; at < 10_000; at += 1) refusals.keeps('token.refused', address(at));
    for (let at = 0; at < 3; at += 1) refusals.keeps('token.refused', '11.0.0.1');
    const events = refusals.take();
    const count = (of: string | undefined) => events.find(({ address: one }) => one === of)?.details?.['count'];
    expect([count('11.0.0.0/24'), count('10.0.39.0/24')]).toEqual([3, 16]);
    expect(events).toHaveLength(141);
    expect(events.filter(({ address: one }) => one === undefined)).toEqual([]);
    expect(events.reduce((sum, { details }) => sum + Number(details?.['count']), 0)).toBe(10_003);
  });
});

describe('the trail of a process', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());
  type Said = [level: string, about: unknown, text?: string];
  const start = (append: (records: readonly AuditRecord[]) => Promise<unknown>) => {
    const said: Said[] = [];
    const log = {
      isLevelEnabled: () => true,
      info: (...one: unknown[]) => said.push(['info', ...one] as Said),
      error: (...one: unknown[]) => said.push(['error', ...one] as Said),
    };
    const trail = openAuditTrail({
      events: { append: append as never },
      log: log as unknown as Logger,
      actor: 'service',
    });
    return { trail, said: () => said.splice(0).filter(([, , text]) => text !== 'audit'), lines: said };
  };
  const note: AuditEvent = { event: 'token.issued' };

  it('writes what is noted after a quarter of a second, together, and what is recorded at once', async () => {
    const written: number[] = [];
    const { trail, lines } = start(async (some) => void written.push(some.length));
    trail.note(note);
    await jest.advanceTimersByTimeAsync(200);
    trail.note(note);
    await jest.advanceTimersByTimeAsync(49);
    expect([written, trail.backlog()]).toEqual([[], { waiting: 2, dropped: 0 }]);
    await jest.advanceTimersByTimeAsync(1);
    expect([written, trail.backlog()]).toEqual([[2], { waiting: 0, dropped: 0 }]);
    trail.note(note);
    await trail.record(note);
    expect(written).toEqual([2, 2]);
    expect([await trail.close(), written]).toEqual([0, [2, 2]]);
    // Each has a line in the log.
    expect(lines.filter(([, , text]) => text === 'audit')).toHaveLength(4);
  });

  it('says once that it cannot write and once that it can again, and counts what found no room', async () => {
    let away = true;
    const written: AuditRecord[] = [];
    const { trail, said } = start(async (some) => {
      if (away) throw new Error('away');
      written.push(...some);
    });
    for (let count = 0; count < 10_002; count += 1) trail.note(note);
    expect(trail.backlog()).toEqual({ waiting: 10_000, dropped: 2 });
    await jest.advanceTimersByTimeAsync(1000);
    const failed = said().filter(([level]) => level === 'error');
    expect(failed).toEqual([
      ['error', { err: new Error('away') }, 'the audit trail cannot be written: it is tried again'],
    ]);
    expect(trail.backlog()).toEqual({ waiting: 10_000, dropped: 2 });
    away = false;
    await jest.advanceTimersByTimeAsync(500);
    expect(said().filter(([, text]) => text === 'the audit trail is written again')).toHaveLength(1);
    expect(written).toHaveLength(10_001);
    const time = new Date(0).toISOString();
    expect(written.at(-1)).toMatchObject({
      event: 'audit.dropped',
      details: { of: 'token.issued', count: 2, from: time, until: time },
    });
    expect([trail.backlog(), await trail.close()]).toEqual([{ waiting: 0, dropped: 0 }, 0]);
  });

  it('says at its end what is in the log only', async () => {
    const { trail, said } = start(() => Promise.reject(new Error('away')));
    trail.note(note);
    expect(await trail.close()).toBe(1);
    expect(said().at(-1)).toEqual([
      'error',
      { records: 1, dropped: {} },
      'the audit trail ends without records that are in the log only',
    ]);
  });

  it('has its head in the log every ten minutes, and notices when the end was cut or changed', async () => {
    const at = (sequence: number, digest = 'd'.repeat(43)) => ({ sequence, digest });
    let found = at(0);
    let written: AuditRecord[] = [];
    const { trail, lines } = start(async (some) => {
      written.push(...some);
      return { found, head: at(5) };
    });
    const heads = () => lines.filter(([, , text]) => text === 'audit head');
    const cuts = () =>
      lines.filter(([, , text]) => text === 'records at the end of the audit trail were removed or changed');
    await trail.record(note);
    expect(heads()).toEqual([['info', { head: headText(at(5)) }, 'audit head']]);
    for (const [next, cut] of [
      [at(5), 0],
      [at(6), 0],
      [at(5, 'e'.repeat(43)), 1],
      [at(4), 2],
    ] as const) {
      found = next;
      written = [];
      await trail.record(note);
      expect([next, cuts().length]).toEqual([next, cut]);
      found = at(5);
      await jest.advanceTimersByTimeAsync(300);
      expect(written.filter(({ event }) => event === 'audit.cut').map(({ details }) => details)).toEqual(
        cut === 0 ? [] : [{ expected: headText(at(5)), found: headText(next) }],
      );
    }
    await jest.advanceTimersByTimeAsync(600_000 - performance.now() - 1);
    await trail.record(note);
    expect(heads()).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    await trail.record(note);
    expect(heads()).toHaveLength(2);
  });
});
