// SEC-60: however many networks refusals come from, each is a record of the audit trail or counted in one.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { createRefusalCounts, KEPT_A_MINUTE } from '#store/audit/refusal-counts.ts';

const REFUSALS = ['sign-in.failed', 'token.refused', 'client.refused'] as const satisfies AuditEventName[];

const sumOf = (events: readonly Pick<AuditEvent, 'event' | 'details'>[], of: AuditEventName) =>
  events
    .filter(({ event, details }) => event === 'audit.counted' && details?.['of'] === of)
    .reduce((sum, { details }) => sum + Number(details?.['count']), 0);

/** One address of each of so many networks; IPv6 ones of a /48 each. */
const ipv4 = (network: number) => `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`;
const ipv6 = (network: number) => `2001:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}:7::1`;

describe('SEC-60 refusals stay countable from any number of networks', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('50,000 networks of two refusals each, and 30,000 networks of IPv6: kept and counted add up to all, in bounded rows', async () => {
    const written: AuditRecord[] = [];
    const trail = openAuditTrail({
      events: { append: async (records) => void written.push(...records) },
      actor: 'service',
    });
    for (const round of [0, 1]) {
      for (let network = 0; network < 50_000; network += 1) {
        trail.note({ event: 'token.refused', address: ipv4(network + round * 3) });
      }
    }
    for (let network = 0; network < 30_000; network += 1)
      trail.note({ event: 'token.refused', address: ipv6(network) });
    // A person who mistypes a password meanwhile, from a network of its own.
    trail.note({ event: 'sign-in.failed', address: '192.0.2.7' });
    await trail.close();
    const kept = written.filter(({ event }) => event === 'token.refused').length;
    expect(kept + sumOf(written as AuditEvent[], 'token.refused')).toBe(130_000);
    expect(kept).toBe(KEPT_A_MINUTE.inAll);
    expect(written.filter(({ event }) => event === 'sign-in.failed')).toHaveLength(1);
    expect(written.length).toBeLessThanOrEqual(KEPT_A_MINUTE.inAll + 1 + 201);
    const others = written.filter(({ details }) => details?.['networks'] === 'all others');
    expect(others).toHaveLength(1);
    expect(others[0]?.address).toBeUndefined();
  });

  it('a flood from few networks leaves room for records of others', () => {
    const refusals = createRefusalCounts();
    for (let network = 0; network < 16; network += 1) {
      for (let turn = 0; turn < 1000; turn += 1) refusals.keeps('sign-in.failed', `203.0.${network}.1`);
    }
    expect(refusals.keeps('sign-in.failed', '192.0.2.7')).toBe(true);
  });

  it('the largest counts keep their network, small ones are of its /24 or /48', () => {
    const refusals = createRefusalCounts();
    const refuse = (address: string, times: number) => {
      for (let time = 0; time < times; time += 1) refusals.keeps('client.refused', address);
    };
    for (let network = 0; network < 100; network += 1) refuse(`203.0.${network}.1`, 200);
    for (let host = 0; host < 250; host += 1) refuse(`192.0.2.${host}`, 30);
    for (let network = 0; network < 90; network += 1) refuse(`2001:db8:1:${network.toString(16)}::1`, 20);
    const counted = refusals.take().map(({ address, details }) => [address, details?.['count']]);
    expect(counted).toContainEqual(['203.0.99.1', 200]);
    expect(counted).toContainEqual(['192.0.2.0/24', 7500]);
    expect(counted).toContainEqual(['2001:db8:1::/48', 1800]);
    expect(refusals.take()).toEqual([]);
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
            expect(inMinute.get(event)).toBeLessThanOrEqual(KEPT_A_MINUTE.inAll);
          }
          if (take) events.push(...refusals.take());
        }
        events.push(...refusals.take());
        for (const [event, count] of all) expect((kept.get(event) ?? 0) + sumOf(events, event)).toBe(count);
      }),
      { numRuns: 30 },
    );
  });
});
