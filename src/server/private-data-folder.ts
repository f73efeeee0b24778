// Keeps the data folder private to the service's account (SEC-63). An older release, a restored copy or a mount may have made files
// readable; each start and each command makes them private again. New files are private because of the umask (`launch.js`).

import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { Refusal, shellWord } from '#shared/operator-messages.ts';

/** Permission bits of everybody except the owner (`NOT_OWNER`), and of those who are not in the group either (`OTHERS`). */
const NOT_OWNER = 0o077;
const OTHERS = 0o007;
/** The permission bit of folders that everybody may write to, such as /tmp. */
const STICKY = 0o1000;
/** Maximum paths that one message to the operator names. */
const NAMED = 5;

interface Found {
  /** Paths that were made private. */
  mended: string[];
  /**
   * Symbolic links and files that belong to other accounts. Through them, these accounts could read the data that the service writes, or
   * change the data that it reads.
   */
  foreign: string[];
  /** Paths that cannot be made private. Those in `toGroup` are open to a group, those in `toAll` to everybody. */
  toGroup: string[];
  toAll: string[];
}

/**
 * Creates the data folder if it is missing, and makes it private. `say` gets one line about the repaired paths. Throws a `Refusal` if
 * everybody uses the folder, as with /tmp. In production, also throws one if links or files belong to other accounts, or if everybody on
 * the machine can still access a file: the folder then belongs to another account, or its file system has no permissions. If only a group
 * has access, as with volumes in Kubernetes, that is merely reported.
 */
export function keepPrivate({ dataFolder, mode }: Pick<Settings, 'dataFolder' | 'mode'>, say: (line: string) => void) {
  make(dataFolder);
  // Windows has no POSIX permissions that could be set.
  if (process.platform === 'win32') return;
  const folder = statSync(dataFolder);
  if ((folder.mode & STICKY) !== 0 && (folder.mode & OTHERS) !== 0) {
    throw new Refusal([
      `HYGIE_DATA (${dataFolder}) is a folder that everybody uses.`,
      `  Remedy: set HYGIE_DATA to a folder of its own, such as ${join(dataFolder, 'hygie')}.`,
    ]);
  }
  const { mended, foreign, toGroup, toAll } = mend(dataFolder);
  if (mended.length > 0) {
    say(`HYGIE_DATA (${dataFolder}) could be read by others: made private (0700, files 0600): ${named(mended)}`);
  }
  if (foreign.length > 0) {
    const reasons = [
      `HYGIE_DATA (${dataFolder}) holds symbolic links or files of another account, which could read or change what the service stores there: ${named(foreign)}`,
      '  Remedy: remove them, or where they are right, chown -h them to the account of the service.',
    ];
    if (mode === 'production') throw new Refusal(reasons);
    say(reasons.join('\n'));
  }
  const open = toAll.length > 0 ? toAll : toGroup;
  if (open.length === 0) return;
  const reasons = [
    `${toAll.length > 0 ? 'Everybody on this machine' : 'A group'} can reach what is in HYGIE_DATA, and this process ` +
      `cannot change that: ${named(open)}`,
    `  Remedy: chmod -R go= ${shellWord(dataFolder)}, by its owner; the service needs to own what is in it (chown -R ${process.getuid?.()}).`,
    '  Bind mounts: on the host. File systems without permissions (CIFS, FAT): mount options file_mode=0600,dir_mode=0700,uid=.',
  ];
  if (toAll.length > 0 && mode === 'production') throw new Refusal(reasons);
  say(reasons.join('\n'));
}

function make(dataFolder: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const remedy = folderRemedy(error, dataFolder);
    if (remedy === undefined) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal([`HYGIE_DATA (${dataFolder}) cannot be made (${code}).`, `  Remedy: ${remedy}`]);
  }
}

/** Returns the remedy if this process may not create the folder; undefined for another error. */
export function folderRemedy(error: unknown, folder: string): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall !== 'mkdir' || !/^(EACCES|EPERM|EROFS)$/.test(code)) return undefined;
  return `make it for the account of this process, as root: install -d -m 0700 -o ${process.getuid?.()} ${folder}`;
}

function mend(dataFolder: string): Found {
  const found: Found = { mended: [], foreign: [], toGroup: [], toAll: [] };
  // Files of the folder's owner are accepted, because that account can put anything into the folder anyway. The owner is not the account of
  // this process if root runs a command on the folder, or if a mount assigns everything to one owner.
  const owners = [process.geteuid?.(), statSync(dataFolder).uid];
  for (const path of pathsIn(dataFolder)) {
    if (isForeign(path, owners)) found.foreign.push(path);
    const before = ownStatus(path);
    if (!before || (before.mode & NOT_OWNER) === 0) continue;
    try {
      chmodSync(path, before.mode & 0o700);
    } catch {
      // This error is not handled, because the permissions are checked again below. That check is needed anyway: some file systems change
      // nothing and report no error.
    }
    const { mode } = ownStatus(path) ?? { mode: 0 };
    if ((mode & OTHERS) !== 0) found.toAll.push(path);
    else if ((mode & NOT_OWNER) !== 0) found.toGroup.push(path);
    else found.mended.push(path);
  }
  // If nobody else may enter the folder, its content is protected, except for targets of links that are outside the folder.
  if ((statSync(dataFolder).mode & NOT_OWNER) !== 0) return found;
  const within = realpathSync(dataFolder) + sep;
  const elsewhere = (path: string) => !realpathSync(path).startsWith(within);
  return { ...found, toGroup: found.toGroup.filter(elsewhere), toAll: found.toAll.filter(elsewhere) };
}

/**
 * Lists the folder and the paths in it. The folder comes first: once it is private, nobody else can put anything into it. Snapshots and
 * temporary files are one level further down.
 */
function pathsIn(folder: string, levels = 2): string[] {
  if (levels === 0) return [folder];
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // If the folder is gone or belongs to another account, the paths in it cannot be listed.
  }
  const inside = names.map((name) => join(folder, name));
  return [folder, ...inside.flatMap((path) => (ownStatus(path)?.isDirectory() ? pathsIn(path, levels - 1) : [path]))];
}

// Files of root are accepted, because root is the administrator of the machine.
function isForeign(path: string, owners: readonly (number | undefined)[]): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.uid === 0) return false;
  return found.isSymbolicLink() ? found.uid !== process.geteuid?.() : !owners.includes(found.uid);
}

/** Returns the status of a file. Returns undefined for a missing file, and for a symbolic link of another account. */
function ownStatus(path: string): Stats | undefined {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link?.isSymbolicLink()) return link;
  return link.uid === process.geteuid?.() ? statSync(path, { throwIfNoEntry: false }) : undefined;
}

function named(paths: readonly string[]): string {
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : '';
  return paths.slice(0, NAMED).join(', ') + more;
}
