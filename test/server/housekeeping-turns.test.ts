// Operations: however much has expired, removing it lets requests have their turn, and does not keep a service from ending.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHousekeeping } from '../../src/server/cleanup-schedule.ts';
import { openPageSessions } from '../../src/store/accounts/page-sessions.ts';
import { openSignInFailures } from '../../src/store/accounts/sign-in-failures.ts';
import { openAuditEvents } from '../../src/store/audit/audit-events.ts';
import { epochSeconds } from '../../src/store/database/connection.ts';
import { openLogoutDeliveries } from '../../src/store/oidc/logout-deliveries.ts';
import { openOidcRecords } from '../../src/store/oidc/oidc-records.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { until } from '../support/until.ts';

const OLD = 2000;

describe.each(ENGINES)('housekeeping on %s', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  const fill = async () => {
    const expires_at = epochSeconds() - 100;
    const rows = Array.from({ length: OLD }, (_, index) => ({ id: `${engine}${index}`, payload: '{}', expires_at }));
    const used = rows.map((row) => ({ ...row, model: 'AccessToken', consumed_at: expires_at, successor: 'sealed' }));
    await opened.database.batchInsert('oidc_records', used, 100);
    await opened.database.batchInsert('page_sessions', rows, 100);
    const failures = rows.map(({ id: key }) => ({ key, count: 1, expires_at }));
    await opened.database.batchInsert('sign_in_failures', failures, 100);
    const events = rows.map(() => ({ at_ms: 1, event: 'token.issued', outcome: 'success', actor: 'service' }));
    await opened.database.batchInsert('audit_events', events, 100);
  };
  const TABLES = ['oidc_records', 'page_sessions', 'sign_in_failures', 'audit_events'];
  const left = () =>
    Promise.all(TABLES.map(async (table) => Number((await opened.database(table).count({ n: '*' }))[0]?.['n'])));
  const keepHouse = () =>
    startHousekeeping({
      records: openOidcRecords(opened.database),
      pageSessions: openPageSessions(opened.database),
      failures: openSignInFailures(opened.database),
      auditEvents: openAuditEvents(opened.database),
      deliveries: openLogoutDeliveries(opened.database),
      keepAudit: 86_400,
      log: { error: (entry: object) => expect(entry).toBeUndefined() } as never,
    });

  it('removes a few rows at a time: it ends while much is left, and removes the rest when it starts again', async () => {
    await fill();
    await keepHouse().stop();
    for (const count of await left()) expect(count).toBeGreaterThan(OLD / 2);

    const house = keepHouse();
    await until(async () => (await left()).every((count) => count === 0), 'all that expired is removed');
    await house.stop();
  });
});
