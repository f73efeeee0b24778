// Operations: what has expired is removed by the service itself. However much it is, requests have their turn, and the service can end.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startCleanup } from '#server/cleanup.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { epochSeconds, openDatabase } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { openPageRelease } from '#store/database/sqlite-upkeep.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { copyTemplate } from '#support/service-template.ts';
import { until } from '#support/until.ts';

describe('operations: what has expired is removed by the service itself', () => {
  let data: string;
  beforeAll(async () => {
    data = newFolder();
    await copyTemplate('sqlite', data);
  });

  it('SEC-48 a service that starts removes records of the audit trail that are older than audit.keep, and no others', async () => {
    const day = 86_400_000;
    const aged = (days: number): AuditRecord => ({
      time: new Date(Date.now() - days * day).toISOString(),
      event: 'token.revoked',
      outcome: 'success',
      actor: `client:${days}`,
    });
    const database = openDatabase({ engine: 'sqlite', file: join(data, 'hygie.sqlite') });
    await openAuditEvents(database).append([aged(40), aged(31), aged(29), aged(1)]);
    await database.destroy();

    const adjust = <Settings extends object>(settings: Settings) => ({
      ...settings,
      audit: { keep: (30 * day) / 1000 },
    });
    const service = await startService({ env: { HYGIE_DATA: data }, adjust });
    try {
      const kept = async () =>
        (await openAuditEvents(service.database).search({ limit: 10, events: ['token.revoked'] })).map(
          ({ actor }) => actor,
        );
      await until(async () => (await kept()).length < 4, 'old records to go');
      expect(await kept()).toEqual(['client:29', 'client:1']);
    } finally {
      await service.stop();
    }
  });
});

const OLD = 300;
const LIFETIMES = { invitation: 60, passwordReset: 60, emailVerification: 60, emailChange: 60 };
const LIMITS = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };

describe.each(bothEngines('server/cleanup/cleanup'))('cleanup on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));

  const fill = async () => {
    const expires_at = epochSeconds() - 100;
    const rows = Array.from({ length: OLD }, (_, index) => ({ id: `${engine}${index}`, payload: '{}', expires_at }));
    const used = rows.map((row) => ({ ...row, model: 'AccessToken', consumed_at: expires_at, successor: 'sealed' }));
    await opened.database.batchInsert('oidc_records', used, 100);
    await opened.database.batchInsert('page_sessions', rows, 100);
    const limits = rows.map(({ id: key }) => ({ key, points: 1, expire: expires_at * 1000 }));
    await opened.database.batchInsert('rate_limits', limits, 100);
    const events = rows.map(() => ({ at_ms: 1, event: 'token.issued', outcome: 'success', actor: 'service' }));
    await opened.database.batchInsert('audit_events', events, 100);
    const people = rows.map(({ id }) => ({ email: `${id}@clinic.example`, name: id }));
    await opened.database('accounts').delete();
    const accounts = await openAccounts(opened.database).create(people);
    const link = { purpose: 'invitation', state: '', expires_at };
    const links = accounts.map(({ id }) => ({ ...link, account_id: id, digest: id }));
    await opened.database.batchInsert('action_tokens', links, 100);
  };
  const TABLES = ['oidc_records', 'page_sessions', 'rate_limits', 'action_tokens', 'audit_events'];
  const left = () =>
    Promise.all(TABLES.map(async (table) => Number((await opened.database(table).count({ n: '*' }))[0]?.['n'])));
  const startCleaning = (
    stores: Partial<Parameters<typeof startCleanup>[0]['stores']> = {},
    changes: Partial<Parameters<typeof startCleanup>[0]> = {},
  ) =>
    startCleanup({
      stores: {
        records: openOidcRecords(opened.database),
        pageSessions: () => openPageSessions(opened.database),
        signInLimiters: openSignInLimiters(opened.database, LIMITS),
        actionTokens: openActionTokens(opened.database, LIFETIMES),
        auditEvents: openAuditEvents(opened.database),
        mailQueue: openMailQueue(opened.database),
        logoutDeliveries: openLogoutDeliveries(opened.database),
        releasePages: openPageRelease(opened.database),
        ...stores,
      },
      cleanUpCorrections: async () => {},
      lease: openLease(opened.database, 'cleanup'),
      engine,
      keepAudit: 86_400,
      log: { error: (entry: object) => expect(entry).toBeUndefined() } as never,
      ...changes,
    });

  it('removes a few rows at a time: it ends while much is left, and removes the rest when it starts again', async () => {
    await fill();
    await startCleaning().stop();
    for (const count of await left()) expect(count).toBeGreaterThan(OLD / 2);

    let corrections = 0;
    const cleanup = startCleaning({}, { cleanUpCorrections: async () => void corrections++ });
    await until(async () => (await left()).every((count) => count === 0), 'all that expired is removed');
    await cleanup.stop();
    expect(corrections).toBe(1);
  });

  it('SEC-58 one process at a time does it, and the next one as soon as that one ends', async () => {
    const calls = ['first', 'second'].map(() => 0);
    const counted = (index: number) => ({
      pageSessions: () => ({
        prune: async () => {
          calls[index] = (calls[index] ?? 0) + 1;
          return 1;
        },
      }),
    });
    const first = startCleaning(counted(0));
    await until(async () => (calls[0] ?? 0) > 0, 'the first is at work');
    await startCleaning(counted(1)).stop();
    expect(calls[1]).toBe(0);
    await first.stop();
    const next = startCleaning(counted(1));
    await until(async () => (calls[1] ?? 0) > 0, 'the second is at work');
    await next.stop();
  });

  it('SEC-58 a lease ends by itself after a process that died, and after a clock that was set back', async () => {
    const [one, other] = [openLease(opened.database, 'cleanup'), openLease(opened.database, 'cleanup')];
    const taken = await Promise.all([one.take(60), other.take(60)]);
    expect(taken.filter(Boolean)).toHaveLength(1);
    for (const ends_at of [epochSeconds(), epochSeconds() + 86_400]) {
      await opened.database('leases').update({ ends_at });
      expect(await other.take(60)).toBe(true);
      expect(await one.take(60)).toBe(false);
    }
    await other.release();
  });
});
