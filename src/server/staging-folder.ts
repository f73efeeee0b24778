// Makes an unfinished folder beside its target. The folder gets the target's name once all its content is on the disk.

import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { requireSpace, syncFolder } from '#shared/disk.ts';
import { Refusal } from '#shared/operator-messages.ts';

const UNFINISHED = '.hygie-unfinished-';
/** Milliseconds without any change after which an unfinished folder is taken to be abandoned and is removed. */
const FORGOTTEN_AFTER = 3_600_000;

interface StagingFolder {
  folder: string;
  /** Gives the folder its final name, in one step. */
  finish(): Promise<void>;
  /** Removes the folder, unless it is finished. */
  discard(): Promise<void>;
}

/**
 * Makes a folder beside `target`, which must be missing or empty. If the process exits before `finish`, it removes the folder. A process
 * that is killed cannot do that, so its folder stays until a later call removes it.
 * @param bytes size of the content; throws a `Refusal` if the disk has no room for it
 * @param mode permissions of the folder and of new folders above it, less those that the umask removes; private by default
 */
export async function openStaging(target: string, bytes: number, mode = 0o700): Promise<StagingFolder> {
  // If `target` is a link, for example to another disk, the link's own target is used.
  const wanted = await realpath(target).catch(() => resolve(target));
  const parent = dirname(wanted);
  const there = await readdir(wanted).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Refusal(`${wanted} cannot be used (${error.code}): name a folder that is not there yet.`);
  });
  if (there && there.length > 0) {
    throw new Refusal([`${wanted} is not empty.`, 'Remedy: name a new or empty folder, such as one with the date.']);
  }
  await mkdir(parent, { recursive: true, mode });
  await removeForgotten(parent);
  await requireSpace(parent, bytes);
  const folder = await mkdtemp(join(parent, UNFINISHED));
  await chmod(folder, mode & ~process.umask());
  const onExit = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', onExit);
  return {
    folder,
    async finish() {
      await syncFolder(folder);
      // An empty folder is removed first, because some systems cannot replace it.
      if (there) await rmdir(wanted);
      await rename(folder, wanted);
      process.off('exit', onExit);
      await syncFolder(parent);
    },
    async discard() {
      process.off('exit', onExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the unfinished folders of processes that were killed. */
async function removeForgotten(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const folder = join(parent, name);
    const inside = await readdir(folder, { recursive: true }).catch(() => []);
    const changes = await Promise.all(['.', ...inside].map((path) => stat(join(folder, path)).catch(() => undefined)));
    const last = Math.max(0, ...changes.map((change) => change?.mtimeMs ?? 0));
    // The folder may belong to another account, if several accounts use the parent folder. Then it cannot be removed. This failure is
    // ignored, because otherwise such a folder would make every call fail.
    if (Date.now() - last > FORGOTTEN_AFTER) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

const FULL = /ENOSPC|EDQUOT|SQLITE_FULL|No space left/;

/** Turns the error of a full or unwritable disk into a `Refusal`; returns any other error unchanged. */
export function explainDisk(error: unknown, folder: string): unknown {
  const { code = '', message = '', path } = error as NodeJS.ErrnoException;
  const text = `${code} ${message}`;
  if (FULL.test(text)) {
    return new Refusal([
      `The disk of ${folder} is full: nothing of ${basename(folder)} is left behind.`,
      'Remedy: make room there, or name a folder on a larger disk.',
    ]);
  }
  if (!/^(EACCES|EROFS|EPERM|ENOTDIR)$/.test(code) || !path?.startsWith(dirname(resolve(folder)))) return error;
  return new Refusal(`${folder} cannot be written (${code}): give the account of this command the right to it.`);
}
