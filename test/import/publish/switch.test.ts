// The switch to a finished snapshot: its entry, its judgement, and the phases of an import that lead to it.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { finishedEntry, publish } from '#import/publish/switch-snapshot.ts';
import { createChecksum } from '#search-index/index.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { judgementOf } from '#store/snapshots/judgements.ts';
import { findCurrentSnapshot, listSnapshots, readPointer } from '#store/snapshots/registry.ts';
import { activity, openBench, registerText, SETTINGS } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';

describe('the switch to a snapshot', () => {
  const bench = openedForEach(openBench);
  const COUNTS = { Practitioner: 3, Organization: 2, PractitionerRole: 1 };
  const editions = { skills: { lines: 5, date: '2026-10-08' } };
  const statistics = { columns: {}, values: {}, departments: {} };
  const judgement = { counts: COUNTS, editions, report: '{}', accepted: ['registers'], statistics, removed: COUNTS };
  const created = '2026-11-20T02:00:00.000Z';
  const summary = { id: 'new', file: 'new.sqlite', created, bytes: 7, counts: COUNTS } as never;
  const linked = (inForce: () => Promise<void>) => ({
    compare: async () => ({ accounts: 0, left: 0, other: 0, missing: 0, changed: { left: 0, other: 0, held: 0 } }),
    inForce,
  });

  it('stores the entry of its file and its judgement, once', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'new.sqlite'), 'content');
    const entry = await finishedEntry({ summary, checksum: 'sources', judgement }, folder);
    const checksum = createChecksum();
    checksum.update(readFileSync(join(folder, 'new.sqlite')));
    expect(entry).toEqual({
      id: 'new',
      engine: 'sqlite',
      file: 'new.sqlite',
      createdAt: new Date(created),
      editions,
      counts: COUNTS,
      sourcesChecksum: 'sources',
      bytes: 7,
      checksum: checksum.digest(),
    });
    const warnings: string[] = [];
    const warn = (kind: string) => void warnings.push(kind);
    const options = { database: bench.database, compared: undefined, folder, keep: 0, warn };
    await publish(entry, judgement, options);
    await publish(entry, { ...judgement, accepted: [] }, options);
    expect(await findCurrentSnapshot(bench.database)).toEqual(entry);
    expect(await judgementOf(bench.database, 'new')).toEqual({
      ...judgement,
      snapshot: 'new',
      madeAt: expect.any(Date),
    });
    // The one before stays for a rollback, and the one before that goes.
    const publishAfter = (compared: string | undefined, id: string) =>
      publish({ ...entry, id, file: `${id}.sqlite` }, judgement, { ...options, compared });
    await publishAfter('new', 'second');
    // An edition that was compared with another one than that in force is not switched to.
    for (const compared of ['new', undefined])
      await expect(publishAfter(compared, 'late')).rejects.toThrow(/^another edition has come into force during this/);
    await publishAfter('second', 'third');
    expect((await listSnapshots(bench.database)).map(({ id }) => id).sort()).toEqual(['second', 'third']);
    const { current } = await readPointer(bench.database);
    expect([current, existsSync(join(folder, 'new.sqlite')), warnings]).toEqual(['third', false, []]);
  });

  it('a file that cannot be dropped is a warning, and the switch is made', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'new.sqlite'), 'content');
    const entry = await finishedEntry({ summary, checksum: 'x', judgement }, folder);
    const warnings: string[] = [];
    const broken = new Proxy(bench.database, {
      apply: (target, self, [table]) => {
        if (table === 'directory_snapshots' && switched) throw new Error('no table');
        return Reflect.apply(target, self, [table]);
      },
      get(target, key) {
        if (key !== 'transaction') return Reflect.get(target, key, target);
        return async (work: (transaction: unknown) => Promise<unknown>) => {
          await target.transaction(work as never);
          switched = true;
        };
      },
    });
    let switched = false;
    const warn = (kind: string, text: string) => void warnings.push(`${kind} ${text}`);
    await publish(entry, judgement, { database: broken, compared: undefined, folder, keep: 0, warn });
    expect(warnings).toEqual(['not-pruned no table']);
    expect((await readPointer(bench.database)).current).toBe('new');
  });

  it('accounts that cannot be compared after it are a warning, and the switch is made', async () => {
    const path = bench.file('pa.txt', registerText('activities', [activity()]));
    const linkedAccounts = linked(() => Promise.reject(new Error('no table')));
    const { outcome, snapshot, warnings } = await bench.run([path], { linkedAccounts });
    expect([outcome, snapshot]).toEqual(['imported', (await readPointer(bench.database)).current]);
    expect(warnings).toContainEqual(
      expect.objectContaining({ kind: 'links-not-compared', count: 1, examples: ['no table'] }),
    );
  });

  it('a file that cannot be opened after it is a warning, and the switch is made', async () => {
    const path = bench.file('pa.txt', registerText('activities', [activity()]));
    const linkedAccounts = linked(async () => {});
    const folder = snapshotFolder(bench.dataFolder);
    const onProgress = ({ phase }: { phase: string }) => {
      if (phase !== 'switching') return;
      for (const name of readdirSync(folder)) if (name.endsWith('.sqlite')) rmSync(join(folder, name));
    };
    const { outcome, snapshot, warnings } = await bench.run([path], { linkedAccounts, onProgress });
    expect([outcome, snapshot]).toEqual(['imported', (await readPointer(bench.database)).current]);
    expect(warnings).toContainEqual(expect.objectContaining({ kind: 'links-not-compared', count: 1 }));
  });

  it('comes after these phases, with what was read and mapped so far', async () => {
    const people = Array.from({ length: 40 }, (_, at) =>
      activity({ 1: String(19000000000 + at), 23: `R${100_000 + at}`, 24: `CABINET ${at}` }),
    );
    const path = bench.file('pa.txt', registerText('activities', people));
    const last = new Map<string, object>();
    const onProgress = ({ phase, ...rest }: { phase: string }) => void last.set(phase, rest);
    const report = await bench.run([path], { onProgress, settings: { ...SETTINGS, dataFolder: bench.dataFolder } });
    expect([...last]).toEqual([
      ['reading', { done: 1, lines: 40, resources: 0 }],
      ['people', { done: 1, lines: 40, resources: 80 }],
      ['structures', { done: 1, lines: 40, resources: 120 }],
      ['indexing', { lines: 40, resources: 120 }],
      ['switching', { lines: 40, resources: 120 }],
    ]);
    expect(Object.keys(report.phases)).toEqual([
      ...['reading', 'people', 'structures', 'indexing', 'distributing', 'switching'],
    ]);
    const served = await findCurrentSnapshot(bench.database);
    const content = readFileSync(join(snapshotFolder(bench.dataFolder), served?.file ?? ''));
    const checksum = createChecksum();
    checksum.update(content);
    expect(served).toMatchObject({ checksum: checksum.digest(), bytes: content.length, counts: report.resources });
    const text = `mapping 3, https://hygie.example\nactivities ${createHash('blake2b512').update(readFileSync(path)).digest('hex').slice(0, 64)}`;
    expect(served?.sourcesChecksum).toBe(createHash('sha256').update(text).digest('hex'));
  });
});
