// Lists a watched folder: its files with size and age, and which of them are still being written.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isIncoming } from '#import/sources/inputs.ts';

export interface WatchedFile {
  path: string;
  /** Path within the watched folder, with `/`. */
  name: string;
  /** Says whether it changed: size, time and identity. */
  stamp: string;
  /** A name by which a program says that it is still writing. */
  incoming: boolean;
  /** A link that leads to nothing that can be seen, at least now. */
  dangling: boolean;
}

/** All files of the folder and of its sub-folders, and links to files, in the order of their names. Rejects when the folder cannot be read. */
export async function listWatched(folder: string): Promise<WatchedFile[]> {
  const files: WatchedFile[] = [];
  const walk = async (within: string): Promise<void> => {
    for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
      const name = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) {
        // Hidden folders are partial transfers and snapshots of a file server. One may go while it is listed.
        if (!entry.name.startsWith('.')) await walk(name).catch(ignore(GONE));
        continue;
      }
      const path = join(folder, name);
      const found = await stat(path).catch(ignore(entry.isSymbolicLink() ? LEADS_NOWHERE : GONE));
      const dangling = !found && entry.isSymbolicLink();
      if (!found?.isFile() && !dangling) continue;
      const stamp = found ? `${found.size} ${found.mtimeMs} ${found.ino}` : 'nowhere';
      files.push({ path, name, stamp, incoming: isIncoming(entry.name), dangling });
    }
  };
  await walk('');
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Folders within each other may have longer paths than the system takes. */
const GONE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];
/** A link may lead to itself, or to where the service may not look: no reason to stop looking at all other files. */
const LEADS_NOWHERE = [...GONE, 'ELOOP', 'EACCES'];

function ignore(codes: readonly unknown[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code)) throw error;
  };
}
