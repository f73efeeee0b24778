// SEC-81 corrections end on their last day, and each end is recorded, whenever a process dies.

import { describe, expect, it } from '@jest/globals';
import { cleanUpCorrections } from '#server/audit/directory-events.ts';
import { createLog } from '#shared/log/log.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { addCorrections } from '#store/snapshots/corrections.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

describe.each(bothEngines('server/audit/corrections'))('SEC-81 the end of corrections on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));

  it('marks corrections whose time has come, and records each once', async () => {
    const about = { record: 'Practitioner/1', what: 'record', reason: 'objection', madeBy: 'operator:ops' } as const;
    const endsAt = new Date(Date.now() - 5000);
    const corrections = [{ ...about, endsAt }, about, { ...about, endsAt: new Date(Date.now() + 60_000) }];
    const [over] = await addCorrections(opened.database, corrections);
    const lines: Record<string, unknown>[] = [];
    const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const tend = (days = 1) => cleanUpCorrections(opened.database, { secrets: [], keep: days * 86_400, log });
    // A process that dies before the record is written leaves the correction as it was.
    await opened.database.schema.renameTable('audit_events', 'audit_events_away');
    await expect(tend()).rejects.toThrow('audit_events');
    await opened.database.schema.renameTable('audit_events_away', 'audit_events');
    expect(await opened.database('directory_corrections').whereNotNull('ended_at')).toEqual([]);
    await tend();
    await tend();
    expect(await openAuditEvents(opened.database).search({ events: ['directory.correction-ended'], limit: 9 })).toEqual(
      [
        expect.objectContaining({
          actor: 'service',
          details: {
            correction: over?.id,
            record: 'Practitioner/1',
            what: 'record',
            reason: 'objection',
            ends: new Date(Math.floor(endsAt.getTime() / 1000) * 1000).toISOString(),
          },
        }),
      ],
    );
    expect(lines).toMatchObject([{ msg: 'audit', event: 'directory.correction-ended', actor: 'service' }]);
    // What ended long ago goes, unless another correction of the record still counts.
    const row = { what: 'record', reason: 'x', made_by: 'operator:ops', made_at: 1 };
    const long = { ...row, ended_at: epochSeconds() - 91 * 86_400 };
    await opened.database('directory_corrections').insert([
      { ...long, record: 'Practitioner/2' },
      { ...long, record: 'Practitioner/3' },
      { ...row, record: 'Practitioner/3', ended_at: null },
      { ...row, record: 'Practitioner/4', ended_at: epochSeconds() - 80 * 86_400 },
    ]);
    await tend();
    const kept = await opened.database('directory_corrections').orderBy('id');
    expect(kept.map(({ record }) => record.slice(-1)).join('')).toBe('111334');
    // After ninety days, or later where the audit trail is kept for longer.
    const ago = (days: number, seconds: number) => epochSeconds() - days * 86_400 - seconds;
    const records = async () =>
      (await opened.database('directory_corrections').whereNot({ record: 'Practitioner/1' }).orderBy('id')).map(
        ({ record }) => record.slice(-1),
      );
    await opened.database('directory_corrections').insert([
      { ...row, record: 'Practitioner/5', ended_at: ago(90, -30) },
      { ...row, record: 'Practitioner/6', ended_at: ago(90, 60) },
      { ...row, record: 'Practitioner/7', ended_at: ago(101, 0) },
    ]);
    await tend(100);
    expect(await records()).toEqual(['3', '3', '4', '5', '6']);
    await tend();
    expect(await records()).toEqual(['3', '3', '4', '5']);
    await opened.database('directory_corrections').whereNot({ record: 'Practitioner/1' }).delete();
    const ended = (await opened.database('directory_corrections').whereNotNull('ended_at')).map(({ id }) => id);
    expect(ended).toEqual([over?.id]);
  });
});
