// SEC-75: of what a person brings about the first events of an hour are records of the audit trail, the others are counted in one.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import { createAccountCounts, KEPT_OF_AN_ACCOUNT } from '#store/audit/account-counts.ts';
import { openSeals } from '#store/audit/audit-chain.ts';
import { type AuditEvents, type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

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

describe.each(ENGINES)('SEC-75 the events of a person on %s', (engine) => {
  let opened: TestDatabase;
  let events: AuditEvents;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    events = openAuditEvents(opened.database, ['a secret of the operator, long enough to be one']);
  });
  afterAll(() => opened.close());

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

  it('more people than are followed at once: none is lost without trace', () => {
    const counts = createAccountCounts();
    let kept = 0;
    const people = 21_000;
    for (let person = 0; person < people; person += 1) {
      for (let time = 0; time <= inHour; time += 1) if (counts.keeps('token.issued', `${person}`)) kept += 1;
    }
    const { events, pending } = counts.take(true);
    const sum = events.reduce((total, { details }) => total + Number(details?.['count']), 0);
    expect([kept + sum, pending]).toEqual([people * (inHour + 1), false]);
    expect(events.find(({ account }) => account === undefined)?.details).toMatchObject({ accounts: 'all others' });
    expect(counts.take(true).events).toEqual([]);
  });
});
