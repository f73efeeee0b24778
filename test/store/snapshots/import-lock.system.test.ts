// Directory data, section 4: two imports of one directory never run at once: the lock ends with its process and with nothing
// else, covers data folders that share a PostgreSQL database, and says who holds it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ImportLocked, takeImportLock } from '#store/snapshots/import-lock.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';

const ENGINES = bothEngines('store/snapshots/import-lock.system');

const LOCK = fileURLToPath(new URL('../../../src/store/snapshots/import-lock.ts', import.meta.url));
const CONNECTION = fileURLToPath(new URL('../../../src/store/database/connection.ts', import.meta.url));
/** Holds the lock until it is killed. */
const HOLDER = `
const { openDatabase } = await import(process.argv[1]);
const { takeImportLock } = await import(process.argv[2]);
await takeImportLock(process.argv[3], openDatabase(JSON.parse(process.argv[4])));
process.stdout.write('held');
setInterval(() => {}, 1e6);`;

describe.each(ENGINES)('directory data 4: the lock of the import, main database on %s', (engine) => {
  let folders: string[];
  const opened = openedForEach(() => openTestDatabase(engine));
  beforeEach(() => {
    folders = [newFolder(), newFolder()];
  });
  const take = (which = 0) => takeImportLock(folders[which] ?? '', opened.database);
  const holderOf = (which = 0) =>
    take(which).then(
      async (lock) => {
        await lock.release();
        return 'nobody';
      },
      (error: ImportLocked) => error.holder,
    );

  it('is held by one, who is named, and let go', async () => {
    const lock = await take();
    expect(await holderOf()).toMatch(new RegExp(`^process ${process.pid} on \\S+$`));
    await lock.confirm();
    await lock.release();
    expect(await holderOf()).toBe('nobody');
    expect(readdirSync(folders[0] ?? '')).toEqual(['directory-import.lock']);
  });

  it('is lifted when its process is killed, whatever that one left, and whoever has its number now', async () => {
    const args = [CONNECTION, LOCK, folders[0] ?? '', JSON.stringify(opened.settings)];
    const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(await holderOf()).toMatch(new RegExp(`^process ${child.pid} on \\S+$`));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    // The number in the note is now that of a process that lives: ours.
    writeFileSync(join(folders[0] ?? '', 'directory-import.holder'), `process ${process.pid} on here`);
    // PostgreSQL notices a little later that the connection is gone.
    while ((await holderOf()) !== 'nobody') await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('is still held against other processes after a second attempt in the same one', async () => {
    const lock = await take();
    expect(await holderOf()).toMatch(`process ${process.pid} on`);
    const args = [CONNECTION, LOCK, folders[0] ?? '', JSON.stringify(opened.settings)];
    const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, ...args]);
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([1, expect.stringContaining(`the lock is held (process ${process.pid}`)]);
    await lock.release();
  });

  it('is not kept by a file that somebody wrote', async () => {
    writeFileSync(join(folders[0] ?? '', 'directory-import.lock'), `${process.pid}\n`);
    expect(await holderOf()).toBe('nobody');
  });

  it('covers another data folder exactly where both have one database', async () => {
    const lock = await take(0);
    expect(await holderOf(1)).toMatch(engine === 'postgresql' ? /^process \d+ on \S+$/ : /^nobody$/);
    await lock.release();
    expect(await holderOf(1)).toBe('nobody');
  });

  if (engine === 'postgresql') {
    it('survives a lost connection, unless another import took its place', async () => {
      const cut = () =>
        opened.database.raw(
          // Whoever waits for its end finds the lock let go.
          "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name like 'hygie import%' and datname = current_database()",
        );
      const lock = await take(0);
      await cut();
      await lock.confirm();
      expect(await holderOf(1)).toMatch(/^process \d+/);
      await cut();
      const other = await take(1);
      await expect(lock.confirm()).rejects.toBeInstanceOf(ImportLocked);
      await other.release();
      await lock.release();
    });
  }
});
