// Issue "The directory reaches every instance by itself": a snapshot travels through PostgreSQL as parts. What is cut goes on, what is
// there is not moved again, and what no edition needs goes.

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PART_BYTES } from '#store/snapshots/parts.ts';
import {
  activateSnapshot,
  pruneSnapshots,
  readPointer,
  registerSnapshot,
  rollBack,
} from '#store/snapshots/registry.ts';
import {
  databaseOfMachines,
  follow,
  type Machine,
  machineForEach,
  newFile,
  newSnapshot,
  publish,
} from '#support/directory/machines.ts';
import { until } from '#support/until.ts';

describe('distribution', () => {
  const test = databaseOfMachines();
  const one = machineForEach(test);
  const other = machineForEach(test);

  const content = randomBytes(1.5 * PART_BYTES);
  const parts = async () => Number((await test.database('directory_parts').count({ n: '*' }).first())?.['n']);
  /** Ends the work after that many parts. */
  function after(count: number) {
    const ended = new AbortController();
    let done = 0;
    return { signal: ended.signal, onProgress: () => ++done === count && ended.abort() };
  }

  describe('a snapshot of several parts', () => {
    it('is the same file on a machine with an empty folder, which only the service can read', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      expect([one.has(entry), other.has(entry), await other.state(entry)]).toEqual([true, false, 'stored']);
      expect(await other.fetch(entry)).toEqual({ bytes: content.length, through: content.length });
      const file = join(other.folder, 'a.sqlite');
      expect(readFileSync(file).equals(content)).toBe(true);
      expect(statSync(file).mode & 0o777).toBe(0o400);
      expect([other.has(entry), readdirSync(other.folder)]).toEqual([true, ['a.sqlite']]);
    });

    it('a fetch that was cut goes on where it stood; what is damaged of it comes again', async () => {
      const content = randomBytes(2.5 * PART_BYTES);
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      await expect(other.fetch(entry, after(2))).rejects.toThrow('aborted');
      const unfinished = join(other.folder, 'a.sqlite.fetching');
      const kept = readFileSync(unfinished);
      expect([kept.length, other.has(entry)]).toEqual([2 * PART_BYTES, false]);
      kept[PART_BYTES] = (kept[PART_BYTES] ?? 0) ^ 1;
      writeFileSync(unfinished, kept);
      expect((await other.fetch(entry)).through).toBe(1.5 * PART_BYTES);
      expect(readFileSync(join(other.folder, 'a.sqlite')).equals(content)).toBe(true);
    });

    it('an import that was cut while it stored leaves no edition; another try moves the rest', async () => {
      const entry = await newFile(one, 'a', content);
      await expect(one.store(entry, after(1))).rejects.toThrow('aborted');
      expect([await parts(), (await readPointer(test.database)).current]).toEqual([1, undefined]);
      expect(await one.state(entry)).toBe('lacking');
      const rest = await one.store(entry);
      expect(rest.through).toBeGreaterThan(0.4 * PART_BYTES);
      expect(rest.through).toBeLessThan(PART_BYTES);
    });

    it('parts that two editions share are stored once, and stay until the last of them is dropped', async () => {
      await publish(one, test.database, await newFile(one, 'a', content));
      const changed = Buffer.from(content);
      changed[0] = (changed[0] ?? 0) ^ 1;
      const entry = await newFile(one, 'b', changed);
      const { through } = await one.store(entry);
      expect(through).toBeLessThan(1.1 * PART_BYTES);
      await registerSnapshot(test.database, entry);
      await activateSnapshot(test.database, 'b');
      await publish(one, test.database, await newFile(one, 'c', randomBytes(1000)));
      expect(await parts()).toBe(4);
      const prune = (folder: string) => pruneSnapshots({ database: test.database, folder, keep: 1 });
      expect(await prune(one.folder)).toEqual(['a']);
      expect([await parts(), readdirSync(one.folder).sort()]).toEqual([3, ['b.sqlite', 'c.sqlite']]);
      await publish(one, test.database, await newFile(one, 'd', randomBytes(1000)));
      await prune(one.folder);
      expect(await parts()).toBe(2);
    });

    it('parts that a killed import left go with the next one', async () => {
      await expect(one.store(await newFile(one, 'a', content), after(1))).rejects.toThrow();
      await publish(one, test.database, await newFile(one, 'b', randomBytes(1000)));
      await pruneSnapshots({ database: test.database, folder: one.folder, keep: 1 });
      expect(await parts()).toBe(1);
    });
  });

  describe('a process that follows the pointer', () => {
    const fetched: string[] = [];
    const watch = (machine: Machine) => follow(machine, test.database, (text) => fetched.push(text));
    beforeEach(() => void fetched.splice(0));

    it('fetches what is in force, serves it, and serves the one before until then', async () => {
      const fresh = await watch(other);
      await publish(one, test.database, await newSnapshot(one, 'a', 1));
      await until(() => fresh.current()?.id === 'a', 'the fresh machine serves');
      expect((await fresh.current()?.counts())?.Practitioner).toBe(1);
      await publish(one, test.database, await newSnapshot(one, 'b', 1));
      await until(() => fresh.current()?.id === 'b', 'it serves the next one');
      // A file that is there is served at once, and then reported.
      await until(() => fetched.length === 2, 'it reports both');
      expect([fetched, fresh.behind()]).toEqual([['a', 'b'], 0]);
      await rollBack(test.database);
      await until(() => fresh.current()?.id === 'a', 'it serves the one before, which it has');
      await fresh.close();
    });
  });
});
