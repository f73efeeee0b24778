// Machines and processes that store, fetch and remove the parts of a snapshot at the same time.

import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PART_BYTES } from '#store/snapshots/parts.ts';
import { registerSnapshot } from '#store/snapshots/registry.ts';
import {
  databaseOfMachines,
  follow,
  type Machine,
  machineForEach,
  newFile,
  newMachine,
  newSnapshot,
  publish,
} from '#support/directory/machines.ts';
import { until } from '#support/until.ts';

const test = databaseOfMachines();
const one = machineForEach(test);
const other = machineForEach(test);

const content = randomBytes(3.5 * PART_BYTES);
const small = content.subarray(0, 1.5 * PART_BYTES);
const parts = async () => Number((await test.database('directory_parts').count({ n: '*' }).first())?.['n']);

describe('a snapshot of several parts', () => {
  it('stored by two at once, it is whole', async () => {
    const entry = await newFile(one, 'a', content);
    await newFile(other, 'a', content);
    const [{ seal }] = await Promise.all([one.store(entry), other.store(entry)]);
    expect(await parts()).toBe(4);
    const third = newMachine(test.database);
    await third.fetch({ ...entry, ...(seal !== undefined && { seal }) });
    expect(third.has(entry)).toBe(true);
  });

  it('an import that stores a part beside one that removes it has it in the end', async () => {
    for (let round = 0; round < 2; round += 1) {
      await one.store(await newFile(one, `left-${round}`, small));
      const entry = await newFile(one, `kept-${round}`, small);
      const [stored] = await Promise.all([
        one.store(entry).then(({ seal }) => registerSnapshot(test.database, { ...entry, seal: seal ?? '' })),
        pruneLeft(round),
      ]);
      expect(stored).toBeUndefined();
      const machine = newMachine(test.database);
      const { seal = '' } = await test.database('directory_snapshots').where({ id: entry.id }).first('seal');
      await machine.fetch({ ...entry, seal });
      await test.database('directory_snapshots').where({ id: entry.id }).delete();
      await test.database('directory_snapshot_parts').delete();
    }
  });
});

/** Removes parts as an import does: the list of what is left behind, and what no list names. */
async function pruneLeft(round: number): Promise<void> {
  await test
    .database('directory_snapshot_parts')
    .where({ snapshot: `left-${round}` })
    .delete();
  for (let times = 0; times < 40; times += 1) {
    const used = test.database('directory_snapshot_parts').select('digest');
    await test
      .database('directory_parts')
      .whereNotIn('id', used)
      .delete()
      .catch((error: { code: string }) => expect(error.code).toBe('23503'));
  }
}

describe('processes that follow the pointer', () => {
  const fetched: string[] = [];
  const watch = (machine: Machine) => follow(machine, test.database, (text) => fetched.push(text));
  beforeEach(() => void fetched.splice(0));

  it('an import while it fetches: the newer one is fetched instead', async () => {
    await publish(one, test.database, await newSnapshot(one, 'b'));
    const slow: Machine = {
      ...other,
      fetch: (entry, options) =>
        other.fetch(entry, {
          ...options,
          onProgress: async () => {
            if (entry.id !== 'b') return;
            await test.database('directory_pointer').update({ current: 'c' });
            await until(() => options?.signal?.aborted === true, 'the fetch is given up');
          },
        }),
    };
    const next = await newSnapshot(one, 'c');
    const { seal = '' } = await one.store(next);
    await registerSnapshot(test.database, { ...next, seal });
    const fresh = await watch(slow);
    // The file may be opened before its fetch is reported.
    await until(() => fresh.current()?.id === 'c' && fetched.length > 0, 'the fresh machine serves the newer one');
    expect(fetched).toEqual(['c']);
    await fresh.close();
  });

  it('of several processes of one machine one fetches, and all serve', async () => {
    await publish(one, test.database, await newSnapshot(one, 'a'));
    const processes = await Promise.all([1, 2, 3].map(() => watch(other)));
    for (const process of processes) await until(() => process.current()?.id === 'a', 'each serves');
    await until(() => fetched.length > 0, 'it is reported');
    expect(fetched).toEqual(['a']);
    await Promise.all(processes.map((process) => process.close()));
  });

  it('ends in the middle of a fetch, and another goes on', async () => {
    await publish(one, test.database, await newSnapshot(one, 'a'));
    let begun = () => {};
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow: Machine = {
      ...other,
      fetch: (entry, options) => other.fetch(entry, { ...options, onProgress: begun }),
    };
    const stopped = await watch(slow);
    await first;
    await stopped.close();
    expect([fetched, readdirSync(other.folder)]).toEqual([[], ['a.sqlite.fetching']]);
    const next = await watch(other);
    await until(() => next.current()?.id === 'a', 'the next process serves');
    await next.close();
  });
});
