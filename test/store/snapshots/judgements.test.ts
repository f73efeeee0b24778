// What the store keeps beside snapshots: judgements of editions, and the markers of files that are being made.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ImportLocked, takeImportLock } from '#store/snapshots/import-lock.ts';
import {
  clearMarker,
  markInProgress,
  removeInProgress,
  removeInterrupted,
} from '#store/snapshots/in-progress-markers.ts';
import {
  dropRefusal,
  judgementOf,
  keepJudgement,
  lastRefusal,
  loadedSince,
  noteRollback,
} from '#store/snapshots/judgements.ts';
import { registerSnapshot } from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';
import { COUNTS, snapshotEntry } from '#support/store/snapshot-entry.ts';

describe('beside snapshots', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });

  const register = (id: string) => registerSnapshot(opened.database, snapshotEntry(id, 1, { createdAt: new Date() }));
  const JUDGED = {
    counts: COUNTS,
    editions: { activities: { lines: 5, date: '2026-10-08' } },
    statistics: { columns: {}, values: {}, departments: {} },
    accepted: ['shrinkage'],
    removed: COUNTS,
  };
  const keep = (snapshot: string | undefined, report = `of ${snapshot}`) =>
    keepJudgement(opened.database, { ...(snapshot !== undefined && { snapshot }), ...JUDGED, report });
  const loaded = async (since = new Date(0)) =>
    (await loadedSince(opened.database, since)).map(({ snapshot }) => snapshot);
  const age = (snapshot: string, seconds: number) =>
    opened.database('directory_judgements').where({ snapshot }).decrement('made_at', seconds);

  it('a judgement is given back as it was kept, with its time', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    await register('one');
    await keep('one', '{}');
    const kept = await judgementOf(opened.database, 'one');
    expect(kept).toEqual({ ...JUDGED, snapshot: 'one', report: '{}', madeAt: expect.any(Date) });
    expect(kept?.madeAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(kept?.madeAt.getTime()).toBeLessThan(before + 3_600_000);
    expect(await judgementOf(opened.database, 'two')).toBeUndefined();
  });

  it('of refused editions the newest is kept, until another edition is stored or the refusal is dropped', async () => {
    await register('one');
    await keep(undefined, 'first');
    await keep(undefined, 'second');
    expect(await opened.database('directory_judgements').pluck('report')).toEqual(['second']);
    const refusal = await lastRefusal(opened.database);
    expect([refusal?.report, refusal && 'snapshot' in refusal]).toEqual(['second', false]);
    await keep('one');
    expect(await lastRefusal(opened.database)).toBeUndefined();
    await keep(undefined, 'third');
    expect((await lastRefusal(opened.database))?.report).toBe('third');
    await dropRefusal(opened.database);
    expect(await lastRefusal(opened.database)).toBeUndefined();
    expect(await loaded()).toEqual(['one']);
  });

  it('judgements without their snapshot are kept for 35 days', async () => {
    await register('kept');
    for (const id of ['kept', 'young', 'old']) await keep(id);
    await age('kept', 36 * 86_400);
    await age('young', 35 * 86_400 - 60);
    await age('old', 35 * 86_400 + 60);
    await keep(undefined);
    expect(await loaded()).toEqual(['young', 'kept']);
  });

  it('editions that were loaded are those since then, the newest first, without one that a rollback left', async () => {
    for (const id of ['one', 'two', 'three']) {
      await register(id);
      await keep(id);
    }
    await age('one', 1000);
    await keep(undefined);
    expect(await loaded()).toEqual(['three', 'two', 'one']);
    expect(await loaded(new Date(Date.now() - 500_000))).toEqual(['three', 'two']);
    await noteRollback(opened.database, 'three', 'two');
    expect(await loaded()).toEqual(['two', 'one']);
    await noteRollback(opened.database, 'two', 'three');
    expect(await loaded()).toEqual(['three', 'one']);
  });

  const write = (...names: string[]) => {
    for (const name of names) writeFileSync(join(folder, name), '');
  };

  it('files of marked snapshots that the registry lacks are removed, those of finished ones stay', async () => {
    await register('known');
    for (const id of ['known', 'cut']) markInProgress(folder, id);
    write('known.sqlite', 'cutter.sqlite', 'unmarked.sqlite');
    write('cut.sqlite', 'cut.sqlite.unfinished', 'cut.sqlite.unfinished.spill');
    expect(await removeInterrupted(opened.database, folder)).toEqual(['cut']);
    expect(readdirSync(folder).sort()).toEqual(['cutter.sqlite', 'known.sqlite', 'unmarked.sqlite']);
    expect(await removeInterrupted(opened.database, join(folder, 'missing'))).toEqual([]);
  });

  it('an unfinished snapshot is removed with its marker; a finished one, and one without marker, stay', () => {
    const made = join(folder, 'made');
    markInProgress(made, 'a');
    expect(readdirSync(made)).toEqual(['a.sqlite.pending']);
    for (const id of ['cut', 'done']) markInProgress(folder, id);
    write('cut.sqlite.unfinished', 'done.sqlite', 'other.sqlite.unfinished');
    for (const id of ['cut', 'done', 'other']) removeInProgress(folder, id);
    const left = ['done.sqlite', 'done.sqlite.pending', 'made', 'other.sqlite.unfinished'];
    expect(readdirSync(folder).sort()).toEqual(left);
    clearMarker(folder, 'done');
    clearMarker(folder, 'done');
    expect(existsSync(join(folder, 'done.sqlite.pending'))).toBe(false);
  });

  it('one import at a time has a data folder, and the other one is told which process that is', async () => {
    const lock = await takeImportLock(folder, opened.database);
    await lock.confirm();
    const refused = await takeImportLock(folder, opened.database).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ImportLocked);
    expect((refused as ImportLocked).holder).toMatch(new RegExp(`^process ${process.pid} on \\S+$`));
    expect((refused as ImportLocked).message).toBe(`the lock is held (${(refused as ImportLocked).holder})`);
    await lock.release();
    await (await takeImportLock(folder, opened.database)).release();
  });
});
