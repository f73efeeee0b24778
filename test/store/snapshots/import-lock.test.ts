// The lock of an import within one process: who holds it, what it leaves, and its part in PostgreSQL. Processes: `import-lock.system.test.ts`.

import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { ImportLocked, lockFolder, takeImportLock } from '#store/snapshots/import-lock.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

const SELF = `process ${process.pid} on ${hostname()}`;

describe.each(bothEngines('store/snapshots/import-lock'))('the lock of an import, main database on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));
  let folders: [string, string];
  beforeEach(() => {
    folders = [join(newFolder(), 'data'), newFolder()];
  });
  const take = (which: 0 | 1) => takeImportLock(folders[which], opened.database);
  const holderOf = async (which: 0 | 1) => {
    const taken = await take(which).catch((error: ImportLocked) => error);
    if (taken instanceof ImportLocked) return taken.holder;
    await taken.release();
    return 'nobody';
  };
  const held = () =>
    opened.database.raw(
      "select application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and datname = current_database()",
    );

  it('is of one data folder, and on PostgreSQL of the database, whose holder is named; and is let go', async () => {
    const lock = await take(0);
    expect(await holderOf(0)).toBe(SELF);
    expect(await holderOf(1)).toBe(engine === 'postgresql' ? SELF : 'nobody');
    expect(readFileSync(join(folders[0], 'directory-import.holder'), 'utf8')).toBe(SELF);
    if (engine === 'postgresql') expect((await held()).rows).toEqual([{ name: `hygie import, ${SELF}` }]);
    await expect(lock.confirm()).resolves.toBeUndefined();
    await lock.release();
    await lock.release();
    expect([await holderOf(0), await holderOf(1)]).toEqual(['nobody', 'nobody']);
    expect(readdirSync(folders[0])).toEqual(['directory-import.lock']);
    if (engine === 'postgresql') expect((await held()).rows).toEqual([]);
  });

  if (engine === 'postgresql') {
    it('leaves the folder free where the database’s part is taken, by somebody who may have no name', async () => {
      const transaction = await opened.database.transaction();
      await transaction.raw('select pg_advisory_xact_lock(?, ?)', [0x68796769, 0x696d706f]);
      expect(await holderOf(0)).toBe('unknown');
      expect(existsSync(join(folders[0], 'directory-import.holder'))).toBe(false);
      await transaction.rollback();
      expect(await holderOf(0)).toBe('nobody');
    });

    it('is taken again where the connection was lost, unless another import was faster', async () => {
      const cut = () =>
        opened.database.raw(
          "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name like 'hygie import%' and datname = current_database()",
        );
      const lock = await take(0);
      await cut();
      await lock.confirm();
      expect([await holderOf(1), (await held()).rows.length]).toEqual([SELF, 1]);
      await cut();
      const other = await take(1);
      await expect(lock.confirm()).rejects.toThrow(ImportLocked);
      await other.release();
      await lock.release();
    });

    it('says why it cannot be taken, if its transaction cannot even begin', async () => {
      const client = Object.getPrototypeOf(opened.database.client);
      jest.spyOn(client, '_query').mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
      await expect(take(0)).rejects.toThrow('Connection terminated unexpectedly');
      expect([await holderOf(0), await holderOf(1)]).toEqual(['nobody', 'nobody']);
    });

    it('ends its own lost session, which the server has not noticed yet', async () => {
      const { hostname: host, port } = new URL((opened.settings as { url: string }).url);
      const links: Socket[][] = [];
      const network = createServer((near) => {
        const far = connect(Number(port), host);
        links.push([near, far]);
        near.pipe(far, { end: false });
        far.pipe(near).on('error', () => {});
        near.on('error', () => {});
      }).listen(0, '127.0.0.1');
      await once(network, 'listening');
      const url = new URL((opened.settings as { url: string }).url);
      Object.assign(url, { hostname: '127.0.0.1', port: String((network.address() as AddressInfo).port) });
      const database = openDatabase({ engine: 'postgresql', url: String(url) } as never);
      const lock = await takeImportLock(folders[0], database);
      const cut = links.splice(0);
      for (const [near] of cut) near?.destroy();
      await expect(lock.confirm()).rejects.toMatchObject({ code: '08006' });
      await until(async () => (await held()).rows.length === 0, 'the session has ended');
      await lock.confirm();
      expect((await held()).rows).toEqual([{ name: `hygie import, ${SELF}` }]);
      await lock.release();
      await database.destroy();
      for (const [, far] of [...cut, ...links]) far?.destroy();
      network.close();
    });
  }
});

it('the lock of a folder is taken over from a file that somebody wrote, and not from one that cannot be opened', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a.lock'), '4711\n');
  const unlock = lockFolder(folder, 'a');
  expect(() => lockFolder(folder, 'a')).toThrow(`the lock is held (${SELF})`);
  expect(new ImportLocked('x')).toMatchObject({ name: 'ImportLocked', holder: 'x', message: 'the lock is held (x)' });
  for (const [content, holder] of [
    ['', 'unknown'],
    [' process 1 \n', 'process 1'],
  ] as const) {
    writeFileSync(join(folder, 'a.holder'), content);
    expect(() => lockFolder(folder, 'a')).toThrow(`the lock is held (${holder})`);
  }
  rmSync(join(folder, 'a.holder'));
  expect(() => lockFolder(folder, 'a')).toThrow('the lock is held (unknown)');
  lockFolder(folder, 'b')();
  unlock();
  unlock();
  lockFolder(folder, 'a')();
  mkdirSync(join(folder, 'c.lock'));
  expect(() => lockFolder(folder, 'c')).toThrow('unable to open database file');
});
