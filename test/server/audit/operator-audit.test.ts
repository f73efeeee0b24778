// SEC-48: what operators and schedules change is in the audit trail: imports, keys, and by whom.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ImportAlreadyRunning } from '#import/collect/import-error.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { failedImportEvents, importEvents, keyEvent, operator, recordAs } from '#server/audit/operator-audit.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('sqlite');
});
afterAll(() => test.close());

const KEYS = { secrets: [] };
const report = (changes: Partial<ImportReport>) => ({ guards: [], judgement: { reasons: [] }, ...changes }) as never;

describe('an import', () => {
  it('that is in force is recorded with its resources, and the guards that were accepted', async () => {
    const counts = { Practitioner: 2, Organization: 1, PractitionerRole: 3 };
    const imported = { outcome: 'imported', snapshot: 's1', resources: counts } as const;
    const details = { snapshot: 's1', ...counts };
    expect(await importEvents(test.database, report(imported))).toEqual([{ event: 'directory.imported', details }]);
    const guard = (sentence: string, accepted: boolean) => ({
      accepted,
      sentence,
      sentences: [sentence],
      name: sentence,
    });
    const [event] = await importEvents(test.database, report({ ...imported, guards: [guard('fewer', true)] as never }));
    expect(event?.details).toHaveProperty('accepted');
  });

  it('that was refused is recorded with the reasons; one that changed nothing only after a refusal, and once', async () => {
    const refused = report({ outcome: 'refused', judgement: { reasons: ['too few'] } as never });
    const unchanged = report({ outcome: 'unchanged' });
    expect(await importEvents(test.database, unchanged)).toEqual([]);
    const events = await importEvents(test.database, refused);
    expect(events).toEqual([{ event: 'directory.refused', details: { guards: ['too few'] } }]);
    await recordAs('service', test.database, KEYS, events);
    const kept = await importEvents(test.database, unchanged);
    expect(kept).toEqual([{ event: 'directory.kept' }]);
    await recordAs('service', test.database, KEYS, kept);
    expect(await importEvents(test.database, unchanged)).toEqual([]);
    expect(await importEvents(test.database, report({ outcome: 'checked' }))).toEqual([]);
  });

  it('that failed is recorded with the reason, but for one that only waits for another', () => {
    expect(failedImportEvents(new Error('the disk is full'))).toEqual([
      { event: 'directory.refused', details: { reason: 'the disk is full' } },
    ]);
    expect(failedImportEvents('odd')).toEqual([{ event: 'directory.refused', details: { reason: 'odd' } }]);
    expect(failedImportEvents(new ImportAlreadyRunning('process 7'))).toEqual([]);
  });
});

it.each([
  ['created', 'key.created', undefined, {}],
  ['waits', 'key.created', 86_400, { usedFrom: '1970-01-02T00:00:00.000Z' }],
  ['active', 'key.activated', 0, { usedFrom: '1970-01-01T00:00:00.000Z' }],
  ['removed', 'key.removed', undefined, {}],
  ['encrypted', 'key.encrypted', undefined, {}],
] as const)('a key that is %s is recorded as %s', (what, event, activeAt, more) => {
  const change = { what, kind: 'ES256', id: 'k1', ...(activeAt !== undefined && { activeAt }) } as const;
  expect(keyEvent(change as never)).toEqual({ event, details: { kind: 'ES256', key: 'k1', ...more } });
});

it('second factors that were encrypted anew are one record', () => {
  const details = { kind: 'second-factors', count: 7 };
  expect(keyEvent({ what: 'encrypted', kind: 'second-factors', count: 7 })).toEqual({
    event: 'key.encrypted',
    details,
  });
});

describe('the operator', () => {
  it('is the one that HYGIE_OPERATOR names, else the account of the process', () => {
    const before = process.env['HYGIE_OPERATOR'];
    try {
      process.env['HYGIE_OPERATOR'] = 'claire';
      expect(operator()).toBe('operator:claire');
    } finally {
      if (before === undefined) delete process.env['HYGIE_OPERATOR'];
      else process.env['HYGIE_OPERATOR'] = before;
    }
    expect(operator()).toMatch(/^operator:.+/);
  });

  it('learns that something is done, and has no record: but within a transaction nothing is done', async () => {
    const events = [{ event: 'directory.kept' }] as const;
    const closed = await openTestDatabase('sqlite');
    await closed.close();
    await expect(recordAs('service', closed.database, KEYS, events)).rejects.toThrow(
      /^It is done, but the audit trail/,
    );
    await recordAs('service', closed.database, KEYS, []);
    const broken = test.database.transaction(async (transaction) => {
      await transaction.schema.dropTable('audit_events');
      await recordAs('service', transaction, KEYS, events);
    });
    await expect(broken).rejects.not.toThrow(/^It is done/);
    expect(await openAuditEvents(test.database).search({ limit: 1 })).toHaveLength(1);
  });
});
