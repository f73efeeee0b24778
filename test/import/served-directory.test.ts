// The directory that is served during an import: how it is found, what is compared with it, and what is noted of files that cannot be read.

import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { ImportAlreadyRunning, MachineError } from '#import/collect/import-error.ts';
import type { Progress } from '#import/collect/progress.ts';
import { currentDirectory, noteDamage, withEditionBefore } from '#import/judgement/current-directory.ts';
import { judgeEdition } from '#import/judgement/judge-edition.ts';
import { compareLinkedAccounts, compareWithServed, type LinkedAccounts } from '#import/judgement/linked-accounts.ts';
import { noStatistics } from '#import/judgement/statistics.ts';
import { A, ACTIVITY_COLUMNS } from '#import/registers/person-columns.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { judgementOf, lastRefusal } from '#store/snapshots/judgements.ts';
import { findCurrentSnapshot, rollBack, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { judgedEdition, NO_CHANGES } from '#support/import/judged-edition.ts';
import { activity, openBench, registerText, SETTINGS } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const COUNTS = { Practitioner: 3, Organization: 2, PractitionerRole: 1 };

describe('import: the directory that is served meanwhile', () => {
  const bench = openedForEach(openBench);
  const load = (given: string) =>
    bench.run([bench.file('pa.txt', registerText('activities', [activity({ 8: given })]))]);
  const heard: string[] = [];
  const current = (distribution?: never) => {
    heard.length = 0;
    const files = { folder: snapshotFolder(bench.dataFolder), distribution };
    return currentDirectory(bench.database, files, (kind, example) => heard.push(`${kind} ${example}`));
  };
  const served = async () => (await findCurrentSnapshot(bench.database)) as SnapshotEntry;

  it('is found with its file, unless that is lost or damaged, and whether it was overtaken', async () => {
    expect(await current()).toBeUndefined();
    await load('Zoé');
    const first = await served();
    const file = join(snapshotFolder(bench.dataFolder), first.file);
    expect(await current()).toEqual({ entry: first, file, overtaken: false });
    await load('Léa');
    await rollBack(bench.database);
    expect(await current()).toEqual({ entry: expect.objectContaining({ id: first.id }), file, overtaken: true });
    // While the database is away, nobody can know whether the file can be fetched.
    const away = { has: () => false, fetch: () => Promise.reject(new Error('Connection terminated unexpectedly')) };
    const at = join(snapshotFolder(bench.dataFolder), first.file);
    renameSync(at, `${at}.kept`);
    await expect(current(away as never)).rejects.toThrow('Connection terminated unexpectedly');
    const full = { ...away, fetch: () => Promise.reject(new Refusal('no room')) };
    await expect(current(full as never)).rejects.toThrow('no room');
    renameSync(`${at}.kept`, at);
    expect(heard).toEqual([]);
    const damage = Object.assign(new Error('x'), { code: 'SQLITE_CORRUPT_INDEX' });
    const here = await current();
    for (const other of [new Error('x'), Object.assign(new Error('x'), { code: 'x SQLITE_CORRUPT' })])
      expect(await noteDamage(other, here, bench.database)).toBe(other);
    expect(await noteDamage(damage, undefined, bench.database)).toBe(damage);
    const noted = (await noteDamage(damage, here, bench.database)) as Error;
    expect([noted instanceof MachineError, noted.message]).toEqual([
      true,
      `${file}: the current snapshot is damaged, and is marked as such; it is served as far as it can be read. Import again: the new snapshot does not need it. Look at the disk.`,
    ]);
    const after = await current();
    expect([after?.entry.id, after && 'file' in after, after?.overtaken]).toEqual([first.id, false, true]);
    expect(heard).toEqual([expect.stringMatching(`^unreadable-previous ${first.file} was found damaged on 20.*Z$`)]);
    for (const text of ['database disk image is malformed', 'snapshot x is damaged'])
      expect(await noteDamage(new Error(text), here, bench.database)).toBeInstanceOf(MachineError);
  });

  it('may have lost its file', async () => {
    await load('Zoé');
    const entry = await served();
    const file = join(snapshotFolder(bench.dataFolder), entry.file);
    rmSync(file);
    expect(await current()).toEqual({ entry, overtaken: false });
    expect(heard).toEqual([expect.stringMatching(`^unreadable-previous ${file}: `)]);
  });

  it('may be there and not be opened, as with the rights of another account: nothing is imported without a comparison', async () => {
    await load('Zoé');
    const entry = await served();
    const file = join(snapshotFolder(bench.dataFolder), entry.file);
    rmSync(file);
    // A socket: also root, who may read everything, cannot open it.
    const socket = createServer().listen(file);
    await once(socket, 'listening');
    try {
      await expect(load('Léa')).rejects.toThrow(`${file}: the current snapshot cannot be opened`);
    } finally {
      socket.close();
    }
    expect(await served()).toEqual(entry);
  });

  it('is what an edition is compared with, unless other people are meant', async () => {
    const read = { sources: [], incoming: [], collector: createCollector(), limits: {}, accept: [] } as never;
    const alone = await withEditionBefore(read, undefined, bench.database);
    expect(alone).toEqual({
      ...(read as object),
      counts: { Practitioner: 0, Organization: 0, PractitionerRole: 0 },
      statistics: noStatistics(),
      history: [],
    });
    await load('Zoé');
    const here = await current();
    const { before, history } = await withEditionBefore(read, here, bench.database);
    expect(before).toEqual({
      ...here?.entry,
      statistics: (await judgementOf(bench.database, here?.entry.id ?? ''))?.statistics,
    });
    expect(history.map(({ snapshot }) => snapshot)).toEqual([here?.entry.id]);
    const others = { ...(read as object), accept: [{ name: 'other-people' }] } as never;
    expect(await withEditionBefore(others, here, bench.database)).not.toHaveProperty('before');
    const built = {
      summary: { changes: NO_CHANGES, samples: judgedEdition({}).samples },
      canaries: [],
      counts: COUNTS,
    } as never;
    const context = {
      current: here,
      checksum: 'x',
      database: bench.database,
      checkPeople: async () => undefined,
    } as never;
    const tested = createCollector();
    const cells = ACTIVITY_COLUMNS.map(({ key }) => ({ family: 'TEST', given: 'Test' })[key as string] ?? '');
    tested.populations.person('8190', [cells], undefined, A);
    const judged = await judgeEdition(
      judgedEdition({ collector: tested, accept: [{ name: 'other-people' }] }),
      built,
      here?.file ?? '',
      context,
    );
    expect(judged.verdicts[0]).toEqual({
      name: 'other-people',
      passed: false,
      accepted: true,
      figures: `nothing was compared with snapshot ${here?.entry.id} before`,
    });
    expect([judged.refused, judged.edition.counts]).toEqual([false, COUNTS]);
    expect(tested.doubtful()).toEqual([
      { kind: 'test-person', reference: 'Practitioner/8190', reason: 'named "TEST Test"' },
    ]);
  });

  it('has the links of accounts compared with it, and with the new one', async () => {
    await load('Zoé');
    const here = await current();
    const calls: unknown[] = [];
    const linked: LinkedAccounts = {
      compare: async ({ snapshot, before }, options) => {
        const earlier = before && { id: before.id, people: (await before.snapshot?.counts())?.Practitioner };
        calls.push(['compare', (await snapshot.counts()).Practitioner, earlier, options]);
        return { accounts: 1 } as never;
      },
      inForce: async (snapshot) => void calls.push(['in force', (await snapshot.counts()).Practitioner]),
    };
    const file = here?.file ?? '';
    expect(await compareLinkedAccounts(undefined, file, here, { store: true })).toBeUndefined();
    expect(await compareWithServed(undefined, file)).toBeUndefined();
    expect(await compareLinkedAccounts(linked, file, undefined, { store: false })).toEqual({ accounts: 1 });
    await compareLinkedAccounts(linked, file, here, { store: true });
    await compareLinkedAccounts(linked, file, { entry: { id: 'x' } }, { store: true });
    expect(await compareWithServed(linked, file)).toEqual({ accounts: 1 });
    expect(calls).toEqual([
      ['compare', 1, undefined, { store: false }],
      ['compare', 1, { id: here?.entry.id, people: 1 }, { store: true }],
      ['compare', 1, { id: 'x', people: undefined }, { store: true }],
      ['compare', 1, undefined, { store: true }],
      ['in force', 1],
    ]);
  });

  it('is stored for other instances once more by an import of the same files, where the database lacks it', async () => {
    const { database, close } = await openTestDatabase('postgresql');
    const { dataFolder } = bench;
    const directory = { ...SETTINGS.directory, distribution: 'database' as const };
    const path = bench.file('pa.txt', registerText('activities', [activity()]));
    const steps: Progress[] = [];
    const run = () =>
      bench.run([path], {
        database,
        settings: { ...SETTINGS, dataFolder, directory },
        onProgress: (step) => void steps.push({ ...step }),
      });
    expect((await run()).outcome).toBe('imported');
    const stored = () => database('directory_snapshot_parts').orderBy('number').pluck('digest');
    const before = await stored();
    expect([before.length > 0, steps.filter(({ phase }) => phase === 'distributing').at(-1)]).toEqual([
      true,
      { phase: 'distributing', done: 1, lines: 1, resources: 3 },
    ]);
    await database('directory_snapshot_parts').delete();
    steps.length = 0;
    expect((await run()).outcome).toBe('unchanged');
    expect([await stored(), steps.at(-1)]).toEqual([
      before,
      { phase: 'distributing', done: 1, lines: 0, resources: 3 },
    ]);
    await close();
  });

  it('files that cannot be read are noted, but for a trial and for what is no fault of them', async () => {
    const reasons = async () => {
      const refusal = await lastRefusal(bench.database);
      return refusal && JSON.parse(refusal.report).judgement.reasons;
    };
    const path = bench.file('x.txt', 'x');
    await expect(bench.run([path], { dryRun: true })).rejects.toThrow('is not a register');
    expect(await reasons()).toBeUndefined();
    const onProgress = (error: Error) => () => {
      throw error;
    };
    const good = [bench.file('pa.txt', registerText('activities', [activity()]))];
    for (const error of [new MachineError({}, 'a', 'b'), new ImportAlreadyRunning('x'), new Error('y')])
      await expect(bench.run(good, { onProgress: onProgress(error) })).rejects.toThrow(error.message);
    expect(await reasons()).toBeUndefined();
    await expect(bench.run([path])).rejects.toThrow('is not a register');
    expect(await reasons()).toEqual([expect.stringMatching(/x\.txt: is not a register that Hygie knows/)]);
    expect(await lastRefusal(bench.database)).toMatchObject({ editions: {}, accepted: [], statistics: noStatistics() });
    // What cannot be noted does not hide why the import failed.
    await bench.database.schema.dropTable('directory_judgements');
    await expect(bench.run([path])).rejects.toThrow('is not a register');
  });
});
