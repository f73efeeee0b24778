// The rows of corrections: how they are made, end and go, and how a serving process follows them.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  addCorrections,
  type Correction,
  endCorrections,
  endExpired,
  hiddenRecords,
  listCorrections,
  removeEnded,
  watchCorrections,
} from '#store/snapshots/corrections.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';
import { until } from '#support/until.ts';

describe('corrections', () => {
  const NOW = 1_800_000_000;
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);
  const date = (seconds: number) => new Date(seconds * 1000);
  beforeEach(() => at(NOW));
  afterEach(() => void jest.restoreAllMocks());

  const NEW = { record: 'Practitioner/1', what: 'record', reason: 'asked', madeBy: 'operator:a' } as const;
  const add = (...rows: Partial<Correction>[]) =>
    addCorrections(
      opened.database,
      rows.map((row) => ({ ...NEW, ...row }) as never),
    );
  const listed = () => listCorrections(opened.database);

  it('count from the next second, until their own end where they have one', async () => {
    const ends = { what: 'phone', value: '0123', endsAt: new Date(NOW * 1000 + 60_999) } as const;
    const [one, two] = await add({}, ends);
    expect(one).toEqual({ id: 1, ...NEW, madeAt: date(NOW + 1) });
    const second = { id: 2, ...NEW, what: 'phone', value: '0123', madeAt: date(NOW + 1), endsAt: date(NOW + 60) };
    expect(two).toEqual(second);
    expect(await listed()).toEqual([one, two]);
    at(NOW + 59);
    expect([(await listed())[1], await endExpired(opened.database)]).toEqual([second, []]);
    at(NOW + 60);
    const over = { ...second, endedAt: date(NOW + 60) };
    // It is over before anybody has written so.
    expect((await listed())[1]).toEqual(over);
    at(NOW + 90);
    expect([await endExpired(opened.database), await endExpired(opened.database)]).toEqual([[over], []]);
    expect((await opened.database('directory_corrections').where({ id: 2 }).first()).ended_at).toBe(NOW + 60);
  });

  it('are ended by somebody once, from the next second on', async () => {
    await add({}, {}, {});
    at(NOW + 5);
    const ended = await endCorrections(opened.database, [1, 3, 9], 'operator:b');
    expect(ended.map(({ id, endedAt, endedBy }) => [id, endedAt, endedBy])).toEqual([
      [1, date(NOW + 6), 'operator:b'],
      [3, date(NOW + 6), 'operator:b'],
    ]);
    expect(await endCorrections(opened.database, [1], 'operator:c')).toEqual([]);
    expect(hiddenRecords(await listed())).toEqual(new Set(['Practitioner/1']));
    await endCorrections(opened.database, [2], 'operator:b');
    expect(hiddenRecords(await listed())).toEqual(new Set());
  });

  it('hide whole records where they say so', () => {
    const rows = [
      { record: 'Practitioner/1', what: 'record' },
      { record: 'Practitioner/2', what: 'mailbox' },
      { record: 'Organization/3', what: 'record', endedAt: date(1) },
      { record: 'Organization/4', what: 'record' },
    ] as Correction[];
    expect(hiddenRecords(rows)).toEqual(new Set(['Practitioner/1', 'Organization/4']));
  });

  it('stay while any of their record is in force, and for a time after the last has ended', async () => {
    await add(
      { record: 'Practitioner/1' },
      { record: 'Practitioner/1' },
      { record: 'Practitioner/2' },
      { record: 'Organization/3' },
    );
    await endCorrections(opened.database, [1, 3], 'operator:b');
    at(NOW + 10);
    await endCorrections(opened.database, [4], 'operator:b');
    const left = async (now: number, keep: number) => {
      at(now);
      await removeEnded(opened.database, keep);
      return (await listed()).map(({ id }) => id);
    };
    expect(await left(NOW + 11, 11)).toEqual([1, 2, 3, 4]);
    expect(await left(NOW + 12, 11)).toEqual([1, 2, 4]);
    expect(await left(NOW + 1000, 0)).toEqual([1, 2]);
  });

  it('are followed: the state differs with each change, and an end that comes by itself is seen without one', async () => {
    const watched = await watchCorrections({ database: opened.database, everyMs: 3_600_000 });
    expect(watched.current()).toEqual({ all: [], state: '0.0.0', hidden: new Set() });
    await add({}, { record: 'Practitioner/2', endsAt: date(NOW + 60) });
    expect(watched.current().all).toEqual([]);
    await watched.refresh();
    const first = watched.current();
    expect([first.state, first.hidden, first.all]).toEqual([
      '2.2.0',
      new Set(['Practitioner/1', 'Practitioner/2']),
      await listed(),
    ]);
    await watched.refresh();
    expect(watched.current()).toBe(first);
    at(NOW + 60);
    await watched.refresh();
    expect([watched.current().state, watched.current().hidden]).toEqual(['2.2.1', new Set(['Practitioner/1'])]);
    await endCorrections(opened.database, [1], 'operator:b');
    await watched.refresh();
    expect([watched.current().state, watched.current().hidden]).toEqual(['2.2.2', new Set()]);
    await endExpired(opened.database);
    await removeEnded(opened.database, -100);
    await watched.refresh();
    expect(watched.current().state).toBe('0.0.0');
    await watched.close();
  });

  it('stay as they were while the database does not answer, which is said', async () => {
    await add({});
    const errors: Error[] = [];
    const watched = await watchCorrections({
      database: opened.database,
      everyMs: 5,
      onError: (error) => errors.push(error),
    });
    expect(watched.current().hidden.size).toBe(1);
    await opened.database.destroy();
    await until(() => errors.length > 0, 'the error is said');
    await expect(watched.refresh()).rejects.toThrow();
    expect(watched.current().hidden.size).toBe(1);
    await watched.close();
    await expect(watchCorrections({ database: opened.database })).rejects.toThrow();
  });
});
