// SEC-48: the audit trail's table and the order in which it is written, on both engines.

import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent } from '#shared/audit/events.ts';
import { type AuditEvents, type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { emptyAuditTrail } from '#support/audit-trail.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const ACCOUNT = '0b2e7a8c-7d0a-4a53-9d55-3f3e6d1f0a11';
const at = (second: number, rest: Partial<AuditRecord> = {}): AuditRecord => ({
  time: new Date(second * 1000).toISOString(),
  event: 'token.issued',
  outcome: 'success',
  actor: 'client:app',
  ...rest,
});

describe.each(bothEngines('store/audit/audit-trail'))('SEC-48 the audit trail on %s', (engine) => {
  let events: AuditEvents;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    events = openAuditEvents(opened.database);
  });
  beforeEach(() => emptyAuditTrail(opened.database));

  const trail = () => openAuditTrail({ events, actor: 'service' });

  it('gives back what was kept, by account, client, event and time, the newest so many, oldest first', async () => {
    const full = {
      account: ACCOUNT,
      client: 'app',
      address: '192.0.2.7',
      requestId: 'r-1',
      details: { scope: 'openid' },
    };
    await events.append([at(30, full), at(10), at(20, { event: 'token.revoked', client: 'other' })]);
    const times = async (search: object) =>
      (await events.search({ limit: 10, ...search })).map(({ time }) => Date.parse(time) / 1000);
    expect(await times({})).toEqual([10, 20, 30]);
    expect(await times({ limit: 2 })).toEqual([20, 30]);
    expect(await times({ client: 'other' })).toEqual([20]);
    expect([await times({ request: 'r-1' }), await times({ request: 'r' })]).toEqual([[30], []]);
    expect(await times({ addresses: ['192.0.2.7', '192.0.2.8'] })).toEqual([30]);
    expect(await times({ events: ['token.issued'] })).toEqual([10, 30]);
    expect(await times({ since: 20_000, until: 30_000 })).toEqual([20]);
    expect(await events.search({ limit: 10, account: ACCOUNT })).toEqual([at(30, full)]);
  });

  it('what is recorded is there when the promise resolves; notes follow, and come with the end at the latest', async () => {
    const running = trail();
    running.note({ event: 'token.issued', client: 'one' });
    await running.record({ event: 'sign-in.failed', client: 'two' });
    const clients = async () => (await events.search({ limit: 10 })).map(({ client }) => client);
    expect(await clients()).toEqual(['one', 'two']);
    running.note({ event: 'token.issued', client: 'three' });
    await running.close();
    expect(await clients()).toEqual(['one', 'two', 'three']);
  });

  it('takes any text: secrets are masked, NUL and halves of characters left out, long ones cut', async () => {
    const running = trail();
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln';
    await running.record({
      event: 'token.refused',
      actor: `client:${'x'.repeat(300)}`,
      client: 'a\0b',
      account: 'not an account but a long text of a stranger that fits no column',
      address: '2001:db8::1'.repeat(20),
      details: { code: 'Zk3vQ1xTb9aLongCode_1', token, detail: `Bearer abcdef123456 \ud800 \0 ${'y'.repeat(5000)}` },
    });
    const [record] = await events.search({ limit: 1 });
    expect(record?.client).toBe('ab');
    const text = JSON.stringify(await opened.database('audit_events').select('*'));
    for (const secret of ['Zk3vQ1xTb9aLongCode_1', token, 'abcdef123456']) expect(text).not.toContain(secret);
    expect(text.length).toBeLessThan(5000);
    expect(record?.details?.['more']).toBe(true);
    await running.close();
  });
});

it('SEC-48 a stranger cannot fill the disk with refusals beyond 120 a minute and network they are counted: what is only counted keeps nothing else from being written, and is recorded when its minute is over', async () => {
  jest.useFakeTimers();
  try {
    const written: AuditRecord[] = [];
    const append = async (records: readonly AuditRecord[]) => void written.push(...records);
    const running = openAuditTrail({ events: { append }, actor: 'service' });
    for (let refusal = 0; refusal < 125; refusal += 1) {
      await running.record({ event: 'token.refused', address: '192.0.2.9' });
    }
    expect(written).toHaveLength(120);
    // An IPv6 network of 64 bits is one address; what is noted last is written at the end, too.
    for (let refusal = 1; refusal <= 123; refusal += 1) {
      running.note({ event: 'token.refused', address: `2001:db8::${refusal.toString(16)}` });
    }
    await jest.advanceTimersByTimeAsync(1000);
    running.note({ event: 'token.issued', address: '192.0.2.8' });
    await jest.advanceTimersByTimeAsync(1000);
    expect(written).toHaveLength(241);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(written.slice(241)).toMatchObject([
      { event: 'audit.counted', address: '192.0.2.9', details: { of: 'token.refused', count: 5 } },
      { event: 'audit.counted', address: '2001:db8:0:0', details: { of: 'token.refused', count: 3 } },
    ]);
    for (let refusal = 0; refusal < 121; refusal += 1) {
      running.note({ event: 'token.refused', address: '192.0.2.9' });
    }
    await running.close();
    expect(written).toHaveLength(243 + 121);
    expect(written.at(-1)).toMatchObject({ event: 'audit.counted', details: { count: 1 } });
  } finally {
    jest.useRealTimers();
  }
});

it('SEC-60 records that find no room while the database is away are counted by event and written when it is back: none is lost without trace', async () => {
  jest.useFakeTimers();
  try {
    let away = true;
    const written: AuditRecord[] = [];
    const append = async (records: readonly AuditRecord[]) => {
      if (away) throw new Error('no connection');
      written.push(...records);
      return undefined;
    };
    const running = openAuditTrail({ events: { append }, actor: 'service' });
    const note = (event: AuditEvent, times: number) => {
      for (let time = 0; time < times; time += 1) running.note(event);
    };
    note({ event: 'token.issued' }, 9_000);
    note({ event: 'token.refused', address: '192.0.2.9' }, 1_000);
    note({ event: 'token.issued' }, 3_000);
    note({ event: 'session.ended' }, 7);
    await jest.advanceTimersByTimeAsync(180_000);
    note({ event: 'token.refused', address: '192.0.2.9' }, 1_000);
    await jest.advanceTimersByTimeAsync(180_000);
    expect(written).toEqual([]);
    away = false;
    await jest.advanceTimersByTimeAsync(120_000);
    await running.close();
    const sum = (of: string, by: string) =>
      written
        .filter(({ event, details }) => event === by && details?.['of'] === of)
        .reduce((total, { details }) => total + Number(details?.['count']), 0);
    const kept = (of: string) => written.filter(({ event }) => event === of).length;
    for (const [event, times] of Object.entries({
      'token.issued': 12_000,
      'session.ended': 7,
      'token.refused': 2_000,
    })) {
      expect([event, kept(event) + sum(event, 'audit.counted') + sum(event, 'audit.dropped')]).toEqual([event, times]);
    }
    expect(sum('token.refused', 'audit.counted')).toBe(2 * (1_000 - 120));
    expect(sum('token.issued', 'audit.dropped')).toBe(2_120);
    expect(written.length).toBeLessThan(10_020);
  } finally {
    jest.useRealTimers();
  }
});
