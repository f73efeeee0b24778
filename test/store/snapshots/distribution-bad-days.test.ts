// Issue "The directory reaches every instance by itself", on bad days: disks that are full or damaged, processes that die at any moment, parts
// that the database has lost. What is good is kept, what is not is made anew, and nobody has to clean up.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { currentDirectory } from '#import/judgement/current-directory.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { storeAndConfirm } from '#store/snapshots/distribution.ts';
import { lockFolder } from '#store/snapshots/import-lock.ts';
import { PART_BYTES, pruneParts } from '#store/snapshots/parts.ts';
import { pruneFolder } from '#store/snapshots/registry.ts';
import {
  databaseOfMachines,
  type Machine,
  machineForEach,
  newFile,
  newMachine,
  newSnapshot,
  publish,
  SECRET,
} from '#support/directory/machines.ts';

describe('distribution bad days', () => {
  const test = databaseOfMachines();
  const one = machineForEach(test);
  const other = machineForEach(test);

  const content = randomBytes(1.5 * PART_BYTES);
  const partAt = (number: number) =>
    test
      .database('directory_parts')
      .whereIn('id', test.database('directory_snapshot_parts').where({ number }).select('digest'));
  const lies = { content: zstdCompressSync(randomBytes(0.5 * PART_BYTES)) };

  describe('a fetch', () => {
    it('that could not give the file its name leaves one that the next try can write to', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      const inTheWay = join(other.folder, 'a.sqlite');
      mkdirSync(inTheWay);
      await expect(other.fetch(entry)).rejects.toThrow('EISDIR');
      expect(statSync(`${inTheWay}.fetching`).mode & 0o777).toBe(0o600);
      rmdirSync(inTheWay);
      await other.fetch(entry);
      expect(statSync(inTheWay).mode & 0o777).toBe(0o400);
    });

    it('that found a part which lies keeps the good ones: they are not moved again and again', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      const { content: good } = await partAt(1).first();
      await partAt(1).update(lies);
      await expect(other.fetch(entry)).rejects.toThrow(
        /has another content; where the snapshot's file is, .* directory verify stores it anew/,
      );
      await partAt(1).update({ content: good });
      expect((await other.fetch(entry)).through).toBe(0.5 * PART_BYTES);
      expect(readFileSync(join(other.folder, 'a.sqlite')).equals(content)).toBe(true);
    });

    it('does not write through a link that stands where the unfinished file would', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      const outside = join(other.dataFolder, 'outside');
      writeFileSync(outside, 'not ours');
      symlinkSync(outside, join(other.folder, 'a.sqlite.fetching'));
      await expect(other.fetch(entry)).rejects.toThrow('ELOOP');
      expect(readFileSync(outside, 'utf8')).toBe('not ours');
    });

    it('for which the disk has no room writes nothing', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      const bytes = 2 ** 50;
      const { seal } = await openSeals([SECRET]);
      const large = { ...entry, bytes, seal: seal(`directory snapshot a ${bytes} ${entry.checksum}`) ?? '' };
      await expect(other.fetch(large)).rejects.toThrow(
        /^The disk of .* has \d+ MiB free, and 1073741888 MiB are needed/,
      );
      expect(readdirSync(other.folder)).toEqual([]);
    });
  });

  it('a command on a machine whose instance fetches at the moment waits for it, and has the file then', async () => {
    const entry = await publish(one, test.database, await newSnapshot(one, 'a', 1));
    const release = lockFolder(other.dataFolder, 'directory-fetch');
    const distribution: Machine = { ...other, fetch: (...args) => other.fetch(...args).finally(release) };
    const warnings: string[] = [];
    const files = { folder: other.folder, distribution };
    await currentDirectory(test.database, files, (_kind, example) => void warnings.push(example));
    expect([other.has(entry), warnings]).toEqual([true, []]);
  });

  describe('an instance that stores its file', () => {
    it('replaces what lies in the database, so that the others can fetch it', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      await partAt(1).update(lies);
      expect((await one.store(entry)).through).toBeGreaterThan(0.4 * PART_BYTES);
      expect((await one.store(entry)).through).toBe(0);
      await other.fetch(entry);
      expect(other.has(entry)).toBe(true);
    });

    it('stores nothing of one that is damaged: what a sound one has stored, or will, stays', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'a', content));
      const damaged = Buffer.from(content);
      damaged[5] = (damaged[5] ?? 0) ^ 1;
      await newFile(other, 'a', damaged);
      await expect(other.store(entry)).rejects.toThrow('are not the file that was imported');
      const fresh = newMachine(test.database);
      await fresh.fetch(entry);
      expect(fresh.has(entry)).toBe(true);
    });
  });

  it('an import that lost its lock for a while, in which another one removed its parts, stores them again before it switches', async () => {
    const entry = await newFile(one, 'a', content);
    let lost = 0;
    const sealed = await storeAndConfirm(one, entry, {
      async confirm() {
        lost += 1;
        if (lost === 1) await pruneParts(test.database);
      },
    });
    await other.fetch(sealed);
    expect([other.has(entry), lost]).toEqual([true, 2]);
  });

  it('a folder that is not there yet has nothing to remove', async () => {
    rmdirSync(other.folder);
    await expect(pruneFolder(test.database, other.folder)).resolves.toBeUndefined();
  });
});
