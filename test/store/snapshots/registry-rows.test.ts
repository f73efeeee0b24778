// The rows of the registry: what is added to the row of a snapshot, what is refused, and how it comes into force.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { keepJudgement, loadedSince } from '#store/snapshots/judgements.ts';
import {
  activateSnapshot,
  findCurrentSnapshot,
  findSnapshot,
  listSnapshots,
  readPointer,
  recordLinksCompared,
  recordSeal,
  recordVerification,
  registerSnapshot,
  replaceCurrent,
  rollBack,
  withFullSync,
} from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForEach } from '#support/opened.ts';
import { COUNTS, snapshotEntry } from '#support/store/snapshot-entry.ts';

describe('the row of a snapshot', () => {
  const NOW = 1_800_000_000;
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  const register = async (id: string, day = 1) => {
    await registerSnapshot(opened.database, snapshotEntry(id, day));
    return snapshotEntry(id, day);
  };
  const activate = (id: string) => activateSnapshot(opened.database, id);
  afterEach(() => void jest.restoreAllMocks());

  it('has a row with all that is known of it, to which checks and comparisons are added', async () => {
    const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);
    const whole = { ...snapshotEntry('one'), checksum: 'c', seal: 's', linksComparedAt: new Date(5000) };
    await registerSnapshot(opened.database, whole);
    expect(await findSnapshot(opened.database, 'one')).toEqual(whole);
    at(NOW);
    await recordSeal(opened.database, 'one', 'other');
    await recordLinksCompared(opened.database, 'one');
    await recordVerification(opened.database, 'one', { damaged: true });
    const known = { ...whole, seal: 'other', linksComparedAt: new Date(NOW * 1000), damagedAt: new Date(NOW * 1000) };
    await register('two');
    expect(await listSnapshots(opened.database)).toEqual([snapshotEntry('two'), known]);
    expect(await findCurrentSnapshot(opened.database)).toBeUndefined();
    await expect(activate('none')).rejects.toThrow('there is no snapshot none to activate');
    await activate('one');
    expect(await findCurrentSnapshot(opened.database)).toEqual(known);
    await activate('two');
    at(NOW + 9);
    const back = { current: 'one', previous: 'two', changedAt: new Date((NOW + 9) * 1000) };
    expect([await rollBack(opened.database), await readPointer(opened.database)]).toEqual([back, back]);
    await opened.database('directory_pointer').delete();
    await expect(readPointer(opened.database)).rejects.toThrow(
      'the table directory_pointer has lost its row: restore the database from a backup',
    );
  });

  it('is replaced by one of the same edition with its judgement, unless another has come into force', async () => {
    await register('one');
    await activate('one');
    const judgement = {
      editions: {},
      statistics: { columns: {}, values: {}, departments: {} },
      report: '{}',
      accepted: [],
    };
    await keepJudgement(opened.database, { ...judgement, snapshot: 'one', counts: COUNTS, removed: COUNTS });
    await replaceCurrent(opened.database, 'one', snapshotEntry('anew'));
    expect(await readPointer(opened.database)).toMatchObject({ current: 'anew' });
    expect((await loadedSince(opened.database, new Date(0))).map(({ snapshot }) => snapshot)).toEqual(['anew']);
    await expect(replaceCurrent(opened.database, 'one', snapshotEntry('late'))).rejects.toThrow(
      'another edition than one has come into force meanwhile',
    );
    expect(await findSnapshot(opened.database, 'late')).toBeUndefined();
  });

  it('comes into force with each change on the disk, and the connection is then as before', async () => {
    const level = async () => (await opened.database.raw('pragma synchronous'))[0].synchronous;
    expect([await withFullSync(opened.database, level), await level()]).toEqual([2, 1]);
    await expect(withFullSync(opened.database, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(await level()).toBe(1);
    const other = { client: { config: { client: 'pg' } }, raw: () => expect(true).toBe(false) };
    expect(await withFullSync(other as never, async () => 7)).toBe(7);
  });
});
