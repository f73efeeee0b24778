// Directory data, section 4: two imports of one directory never run at once: the lock ends with its process and with nothing
// else, covers data folders that share a PostgreSQL database, and says who holds it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ImportLocked, takeImportLock } from '#store/snapshots/import-lock.ts';
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
});
