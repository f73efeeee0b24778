// SEC-85: whoever can write into the database, but has no secret of the service, cannot make an instance serve another directory, fill its
// memory or its disk, or touch other files. The edition in force stays.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openSeals } from '#shared/crypto/seals.ts';
import type { Database } from '#store/database/connection.ts';
import { createBackgroundFetch } from '#store/snapshots/background-work.ts';
import { type CurrentSnapshot, watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { sealAnew } from '#store/snapshots/distribution.ts';
import { PART_BYTES } from '#store/snapshots/parts.ts';
import {
  activateSnapshot,
  listSnapshots,
  pruneSnapshots,
  registerSnapshot,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
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
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

/** The stored part `number` of the edition `next`. */
const partsAt = (database: Database, number: number) =>
  database('directory_parts').whereIn(
    'id',
    database('directory_snapshot_parts').where({ snapshot: 'next', number }).select('digest'),
  );

describe('SEC-85 an edition in the database that was tampered with', () => {
  const opened = openedForAll(() => openTestDatabase('postgresql'));
  beforeAll(async () => {
    const one = newMachine(opened.database);
    // Two whole parts: they could be exchanged.
    await publish(one, opened.database, await newFile(one, 'next', randomBytes(2 * PART_BYTES)));
  });

  const list = (database: Database) => database('directory_snapshot_parts');
  const row = (database: Database) => database('directory_snapshots');
  const swap = async (database: Database) => {
    await list(database).update({ number: database.raw('number + 100') });
    await list(database).update({ number: database.raw('101 - number') });
  };
  const replaced = (content: Buffer) => (database: Database) => partsAt(database, 1).update({ content });

  /** What is done to the edition that comes into force, and what the log says then. */
  const ATTACKS: [what: string, attack: (database: Database) => Promise<unknown>, said: RegExp][] = [
    ['other bytes under the digest', replaced(zstdCompressSync(randomBytes(PART_BYTES))), /has another content/],
    ['fewer bytes under the digest', replaced(zstdCompressSync(randomBytes(9))), /has another content/],
    ['no compressed content', replaced(randomBytes(1000)), /cannot be unpacked to 1048576 bytes/],
    [
      'a part that unpacks to 40 MB',
      replaced(zstdCompressSync(Buffer.alloc(4e7))),
      /cannot be unpacked to 1048576 bytes/,
    ],
    ['a part of 9 MB', replaced(zstdCompressSync(randomBytes(9e6))), /no part .*, or one that is too long/],
    ['parts in another order', swap, /together are not the file that was imported/],
    [
      'a part that is missing',
      async (database) => list(database).where({ number: 0 }).delete(),
      /has \d of the \d parts/,
    ],
    ['another size', async (database) => row(database).update({ bytes: 1e12 }), /not sealed by the secret/],
    [
      'another checksum',
      async (database) => row(database).update({ file_checksum: 'f'.repeat(64) }),
      /not sealed by the secret/,
    ],
    ['no seal', async (database) => row(database).update({ seal: null }), /has no seal/],
    ['no checksum', async (database) => row(database).update({ file_checksum: null }), /not sealed by the secret/],
  ];

  it.each(ATTACKS)('%s: it is refused, and nothing of it gets a name', async (_what, attack, said) => {
    const attacked = await opened.database.transaction();
    await attack(attacked);
    const victim = newMachine(attacked);
    const [entry] = await listSnapshots(attacked);
    await expect(victim.fetch(entry as SnapshotEntry)).rejects.toThrow(said);
    expect(readdirSync(victim.folder).filter((name) => name.endsWith('.sqlite'))).toEqual([]);
    await attacked.rollback();
  });
});

describe('distribution attacks', () => {
  const OTHERS_SECRETS = ['a-secret-of-another-service-that-opens-nothing'];
  const BOTH_SECRETS = ['a-third-secret', ...OTHERS_SECRETS];

  const test = databaseOfMachines();
  const one = machineForEach(test);
  const victim = machineForEach(test);

  const errors: string[] = [];
  async function serve(): Promise<CurrentSnapshot> {
    errors.splice(0);
    const onError = ({ message }: Error) => void errors.push(message);
    const prepare = createBackgroundFetch({ distribution: victim, onFetched: () => {}, onError });
    return watchCurrentSnapshot({ database: test.database, folder: victim.folder, prepare, everyMs: 20, onError });
  }

  const row = (id: string) => test.database('directory_snapshots').where({ id });

  it('SEC-85 an edition in the database that was tampered with is not served: the edition before stays; once it is mended, it comes', async () => {
    await publish(one, test.database, await newSnapshot(one, 'before', 1));
    const snapshots = await serve();
    await until(() => snapshots.current()?.id === 'before', 'the edition before is served');
    const next = await newSnapshot(one, 'next', 1);
    const { seal = '' } = await one.store(next);
    await registerSnapshot(test.database, { ...next, seal });
    const [kept] = await partsAt(test.database, 0);
    await partsAt(test.database, 0).update({ content: randomBytes(1000) });
    await activateSnapshot(test.database, 'next');
    await until(() => errors.length > 0, 'it is refused');
    expect(errors[0]).toMatch(/cannot be unpacked/);
    expect([snapshots.current()?.id, snapshots.pointer()]).toEqual(['before', 'next']);
    expect(readdirSync(victim.folder).filter((name) => name.endsWith('.sqlite'))).toEqual(['before.sqlite']);
    await partsAt(test.database, 0).update({ content: kept.content });
    await victim.fetch({ ...next, seal });
    expect(victim.has(next)).toBe(true);
    await snapshots.close();
  });

  describe('SEC-85 an instance with another secret', () => {
    const foreign = async (): Promise<[Machine, SnapshotEntry]> => {
      const machine = newMachine(test.database, OTHERS_SECRETS);
      return [machine, await publish(machine, test.database, await newFile(machine, 'foreign', randomBytes(1000)))];
    };

    it('its edition is not fetched, and its seal not replaced', async () => {
      const [, entry] = await foreign();
      await expect(victim.fetch(entry)).rejects.toThrow(/another HYGIE_KEY_SECRET/);
      expect([await victim.state(entry), readdirSync(victim.folder)]).toEqual(['foreign', []]);
      expect(await sealAnew(test.database, await openSeals([SECRET]))).toBe(0);
    });

    it('an instance without a secret fetches nothing that is sealed', async () => {
      const [, entry] = await foreign();
      await expect(newMachine(test.database, []).fetch(entry)).rejects.toThrow(/not sealed by the secret/);
    });

    it('when the secret is changed, what the one before sealed is fetched until then, and sealed anew by `keys encrypt`', async () => {
      const [, entry] = await foreign();
      await newMachine(test.database, BOTH_SECRETS).fetch(entry);
      const both = await openSeals(BOTH_SECRETS);
      expect([await sealAnew(test.database, both), await sealAnew(test.database, both)]).toEqual([1, 0]);
      const [anew] = await listSnapshots(test.database);
      const next = newMachine(test.database, ['a-third-secret']);
      await expect(next.fetch(entry)).rejects.toThrow('another HYGIE_KEY_SECRET');
      await next.fetch(anew ?? entry);
      expect(next.has(entry)).toBe(true);
    });
  });

  describe('SEC-85 names from the database', () => {
    it('lead to no file elsewhere: neither is it opened, nor made, nor removed', async () => {
      const outside = join(victim.dataFolder, 'outside.sqlite');
      writeFileSync(outside, 'not ours');
      await publish(one, test.database, await newSnapshot(one, 'before', 1));
      const snapshots = await serve();
      await until(() => snapshots.current()?.id === 'before', 'the edition before is served');
      const [before] = await row('before');
      for (const [id = '', file] of [
        ['outside', '../outside.sqlite'],
        ['outside', '/tmp/outside.sqlite'],
        ['../outside', 'outside.sqlite'],
        ['outside', 'outside.sqlite/../../outside.sqlite'],
        ['next', 'before.sqlite'],
        ['before\n', 'before\n.sqlite'],
      ]) {
        await test.database('directory_snapshots').insert({ ...before, id, file });
        const prune = pruneSnapshots({ database: test.database, folder: victim.folder, keep: 0 });
        await expect(prune).rejects.toThrow(/names a snapshot that no import makes/);
        await test.database('directory_pointer').update({ current: id });
        // The message names the row: what was looked at of the one before may still be said.
        const named = `names a snapshot that no import makes, ${JSON.stringify([id, file]).slice(0, -1)}`;
        await until(() => errors.some((message) => message.includes(named)), `${named} is said`);
        expect([file, snapshots.current()?.id, existsSync(outside)]).toEqual([file, 'before', true]);
        expect([file, readdirSync(victim.folder)]).toEqual([file, ['before.sqlite']]);
        await test.database('directory_pointer').update({ current: 'before' });
        await row(id).delete();
      }
      await snapshots.close();
    });

    it('in a row that is impossible are refused: a link to a page of it ends no process', async () => {
      await publish(one, test.database, await newFile(one, 'before', randomBytes(1000)));
      await publish(one, test.database, await newSnapshot(one, 'next', 1));
      const [before] = await row('before');
      const snapshots = await watchCurrentSnapshot({ database: test.database, folder: victim.folder });
      for (const change of [{ created_at: '9000000000000000' }, { bytes: '9223372036854775807' }, { bytes: -1 }]) {
        await row('before').update({ ...before, ...change });
        const link = snapshots.byId('before');
        await expect(link).rejects.toThrow(/names a snapshot that no import makes, .*: remove its row/);
      }
      await snapshots.close();
    });

    it('a file of another edition under the right name is not served', async () => {
      const entry = await publish(one, test.database, await newFile(one, 'next', randomBytes(1000)));
      const wrong = await newSnapshot(victim, 'wrong', 1);
      renameSync(join(victim.folder, wrong.file), join(victim.folder, entry.file));
      await row('next').update({ bytes: wrong.bytes });
      const snapshots = await serve();
      await until(() => errors.length > 0, 'it is refused');
      expect(errors[0]).toMatch(/holds the snapshot wrong instead of next/);
      expect([snapshots.current(), entry.id]).toEqual([undefined, 'next']);
      await snapshots.close();
    });
  });
});
