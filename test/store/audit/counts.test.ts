// Events that are counted instead of kept one by one, and the pages of what is kept.

import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { openAccountActivity } from '#store/audit/account-records.ts';
import { type AuditEvents, type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { createRefusalCounts, KEPT_A_MINUTE, KEPT_OF_AN_ACCOUNT } from '#store/audit/record-counts.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

// SEC-75: of what a person brings about the first events of an hour are records of the audit trail, the others are counted in one.
describe('events of a person', () => {
  const { inHour, inDay } = KEPT_OF_AN_ACCOUNT;
  const ACCOUNT = '0b2e7a8c-7d0a-4a53-9d55-3f3e6d1f0a11';
  const OTHER = '0b2e7a8c-7d0a-4a53-9d55-3f3e6d1f0a12';
  const own: AuditEvent = { event: 'account.profile-changed', actor: `account:${ACCOUNT}`, account: ACCOUNT };

  const noted = (trail: AuditTrail, event: AuditEvent, times: number) => {
    for (let time = 0; time < times; time += 1) trail.note(event);
  };
  const keptOf = (records: readonly AuditRecord[], { event, account }: AuditEvent) =>
    records.filter((record) => record.event === event && record.account === account).length;
  const countedOf = (records: readonly AuditRecord[], { event, account }: AuditEvent) =>
    records
      .filter((record) => record.details?.['of'] === event && record.account === account)
      .reduce((sum, { details }) => sum + Number(details?.['count']), 0);

  describe.each(bothEngines('store/audit/counts'))('SEC-75 the events of a person on %s', (engine) => {
    let events: AuditEvents;
    const opened = openedForAll(() => openTestDatabase(engine));
    beforeAll(() => {
      events = openAuditEvents(opened.database, ['a secret of the operator, long enough to be one']);
    });

    it('by two instances at once: kept and counted ones are all, other kinds and other people are whole, and the chain holds', async () => {
      const instances = [1, 2].map(() => openAuditTrail({ events, actor: 'service' }));
      const critical: AuditEvent = { ...own, event: 'passkey.added' };
      const neighbour: AuditEvent = { ...own, actor: `account:${OTHER}`, account: OTHER };
      await Promise.all(
        instances.map(async (trail) => {
          noted(trail, own, 2000);
          await trail.record(critical);
          noted(trail, neighbour, inHour);
          noted(trail, own, 1000);
          await trail.close();
        }),
      );
      const records = await events.search({ limit: 10_000 });
      expect([keptOf(records, own), countedOf(records, own)]).toEqual([2 * inHour, 2 * (3000 - inHour)]);
      expect([keptOf(records, critical), countedOf(records, critical)]).toEqual([2, 0]);
      expect([keptOf(records, neighbour), countedOf(records, neighbour)]).toEqual([2 * inHour, 0]);
      expect(records.length).toBe(2 * (inHour + 1 + inHour + 1));
      const { faults } = await verifyTrail(opened.database, await openSeals([]));
      expect(faults).toEqual([]);
    });
  });

  describe('SEC-75 in the course of time', () => {
    const written: AuditRecord[] = [];
    const trailOf = (actor: 'service' | 'operator:somebody' = 'service') =>
      openAuditTrail({ events: { append: async (records) => void written.push(...records) }, actor });
    beforeEach(() => {
      written.length = 0;
      jest.useFakeTimers();
    });
    afterEach(() => void jest.useRealTimers());

    it('a count is written after a minute and then once an hour; each hour begins anew, up to what a day keeps', async () => {
      const trail = trailOf();
      const hours = 30;
      for (let minute = 0; minute < hours * 60; minute += 1) {
        noted(trail, own, 10);
        await jest.advanceTimersByTimeAsync(60_000);
      }
      const kept = keptOf(written, own);
      expect(kept).toBe(inDay + inDay);
      expect(written.length - kept).toBeLessThanOrEqual(hours + 1);
      expect(written.findIndex(({ event }) => event === 'audit.counted')).toBe(inHour);
      await trail.close();
      expect(kept + countedOf(written, own)).toBe(hours * 600);
      expect(written.at(-1)).toMatchObject({ actor: own.actor, account: ACCOUNT });
    });

    it('sign-ons of applications count with their person; what operators do, and what strangers fail at, does not', async () => {
      const sparse = trailOf();
      const token: AuditEvent = { event: 'token.issued', actor: 'client:app', account: ACCOUNT, address: '192.0.2.7' };
      const guess: AuditEvent = { event: 'sign-in.failed', actor: 'unknown', account: ACCOUNT, address: '192.0.2.7' };
      noted(sparse, token, inHour + 30);
      noted(sparse, guess, inHour);
      await sparse.close();
      expect([keptOf(written, token), countedOf(written, token)]).toEqual([inHour, 30]);
      expect([keptOf(written, guess), countedOf(written, guess)]).toEqual([inHour, 0]);
      const command = trailOf('operator:somebody');
      const linked: AuditEvent = { event: 'account.linked', account: ACCOUNT };
      noted(command, linked, 3 * inHour);
      await command.close();
      expect(keptOf(written, linked)).toBe(3 * inHour);
    });

    it('a refusal of a person who is signed in counts by account first, wherever it comes from', async () => {
      const trail = trailOf();
      const refused: AuditEvent = { event: 'consent.refused', actor: `account:${ACCOUNT}`, account: ACCOUNT };
      for (let network = 0; network < 200; network += 1) trail.note({ ...refused, address: `203.0.${network}.1` });
      await trail.close();
      expect([keptOf(written, refused), countedOf(written, refused)]).toEqual([inHour, 200 - inHour]);
    });
  });
});

// SEC-60: however many networks refusals come from, each is a record of the audit trail or counted in one.
describe('SEC-60 refusals stay countable from any number of networks', () => {
  const REFUSALS = ['sign-in.failed', 'token.refused', 'client.refused'] as const satisfies AuditEventName[];

  const sumOf = (events: readonly Pick<AuditEvent, 'event' | 'details'>[], of: AuditEventName) =>
    events
      .filter(({ event, details }) => event === 'audit.counted' && details?.['of'] === of)
      .reduce((sum, { details }) => sum + Number(details?.['count']), 0);

  /** One address of each of so many networks; IPv6 ones of a /48 each. */
  const ipv4 = (network: number) => `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`;
  const ipv6 = (network: number) => `2001:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}:7::1`;

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('15,000 networks of two refusals each, and 12,000 networks of IPv6: kept and counted add up to all, in bounded rows', async () => {
    const written: AuditRecord[] = [];
    const trail = openAuditTrail({
      events: { append: async (records) => void written.push(...records) },
      actor: 'service',
    });
    for (const round of [0, 1]) {
      for (let network = 0; network < 15_000; network += 1) {
        trail.note({ event: 'token.refused', address: ipv4(network + round * 3) });
      }
    }
    for (let network = 0; network < 12_000; network += 1)
      trail.note({ event: 'token.refused', address: ipv6(network) });
    // A person who mistypes a password meanwhile, from a network of its own.
    trail.note({ event: 'sign-in.failed', address: '192.0.2.7' });
    await trail.close();
    const kept = written.filter(({ event }) => event === 'token.refused').length;
    expect(kept + sumOf(written as AuditEvent[], 'token.refused')).toBe(42_000);
    expect(kept).toBe(KEPT_A_MINUTE.inAll);
    expect(written.filter(({ event }) => event === 'sign-in.failed')).toHaveLength(1);
    expect(written.length).toBeLessThanOrEqual(KEPT_A_MINUTE.inAll + 1 + 201);
    const others = written.filter(({ details }) => details?.['networks'] === 'all others');
    expect(others).toHaveLength(1);
    expect(others[0]?.address).toBeUndefined();
  });

  it('whatever comes in whatever order and time: nothing is lost, and no minute has more records than its kind may', () => {
    const step = fc.record({
      event: fc.constantFrom(...REFUSALS),
      network: fc.nat({ max: 40_000 }),
      six: fc.boolean(),
      times: fc.integer({ min: 1, max: 400 }),
      after: fc.constantFrom(0, 0, 0, 1000, 61_000),
      take: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const refusals = createRefusalCounts();
        const events: AuditEvent[] = [];
        const all = new Map<AuditEventName, number>();
        const kept = new Map<AuditEventName, number>();
        let inMinute = new Map<AuditEventName, number>();
        let began = performance.now();
        for (const { event, network, six, times, after, take } of steps) {
          jest.advanceTimersByTime(after);
          if (performance.now() - began >= 60_000) {
            began = performance.now();
            inMinute = new Map();
          }
          for (let time = 0; time < times; time += 1) {
            // Some floods stay in their network, others go through all of them.
            const from = time % 3 === 0 ? network : network + time;
            all.set(event, (all.get(event) ?? 0) + 1);
            if (!refusals.keeps(event, six ? ipv6(from) : ipv4(from))) continue;
            kept.set(event, (kept.get(event) ?? 0) + 1);
            inMinute.set(event, (inMinute.get(event) ?? 0) + 1);
          }
          expect(inMinute.get(event) ?? 0).toBeLessThanOrEqual(KEPT_A_MINUTE.inAll);
          if (take) events.push(...refusals.take());
        }
        events.push(...refusals.take());
        for (const [event, count] of all) expect((kept.get(event) ?? 0) + sumOf(events, event)).toBe(count);
      }),
      { numRuns: 30 },
    );
  });
});

// The events of one account page by page, on both engines: none twice, none left out, nothing of others.
describe('the activity of an account', () => {
  const NOW = Date.parse('2026-11-23T06:00:00Z');
  const OF = { outcome: 'success', actor: 'service' } as const;
  /** As many in one millisecond as there are on two pages. */
  const at = (place: number) => new Date(NOW + Math.floor(place / 6)).toISOString();

  it.each(bothEngines('store/audit/counts'))('pages forwards and back, on %s', async (engine) => {
    const { database, close } = await openTestDatabase(engine);
    try {
      const own = Array.from({ length: 14 }, (_, place) => ({
        ...OF,
        time: at(place),
        event: 'account.enabled' as const,
        account: 'a',
        requestId: String(place),
      }));
      const others = [
        { ...OF, time: at(3), event: 'account.enabled' as const, account: 'b' },
        { ...OF, time: at(3), event: 'token.issued' as const, account: 'a' },
        { ...OF, time: new Date(NOW - 1).toISOString(), event: 'account.enabled' as const, account: 'a' },
      ];
      await openAuditEvents(database).append([...others, ...own]);
      const wanted = { events: ['account.enabled'] as const, since: NOW, limit: 3 };
      const { page } = openAccountActivity(database);
      const walk = async (way: 'older' | 'newer', from?: string) => {
        const seen: string[][] = [];
        let last = from;
        for (let more = true; more; ) {
          const found = await page('a', { ...wanted, [way]: last });
          const ids = found.records.map(({ requestId = '' }) => requestId);
          seen[way === 'older' ? 'push' : 'unshift'](ids);
          more = found[way] !== undefined;
          last = found[way] ?? (way === 'older' ? found.newer : found.older);
        }
        return { seen, last };
      };
      const pages = [
        ['13', '12', '11'],
        ['10', '9', '8'],
        ['7', '6', '5'],
        ['4', '3', '2'],
        ['1', '0'],
      ];
      const there = await walk('older');
      expect(there.seen).toEqual(pages);
      const back = await walk('newer', there.last);
      expect(back.seen.flat()).toEqual(pages.slice(0, 4).flat());
      // What was not given out begins at the beginning.
      for (const older of ['x', '1', "1-1' or 1=1", '-1-1', '9'.repeat(30)])
        expect((await page('a', { ...wanted, older })).records.map(({ requestId }) => requestId)).toEqual(pages[0]);
      expect((await page('b', wanted)).records).toHaveLength(1);
    } finally {
      await close();
    }
  });
});
