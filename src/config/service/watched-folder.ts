// Which folder may be watched for editions (`directory.watch`). Checked only on request: the folder may be on a network that is
// away for a while, which must not keep the service from starting.

import { readdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

/** What speaks against watching the folder, and what to do; nothing when all is well. Both are absolute paths. */
export async function watchedFolderIssue(
  folder: string,
  dataFolder: string,
): Promise<{ problem: string; remedy: string } | undefined> {
  try {
    await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: 'There is no such folder.', remedy: 'Make it, or mend the path.' };
    if (code === 'ENOTDIR') return { problem: 'Is a file.', remedy: 'Name the folder into which editions are put.' };
    return { problem: `Cannot be read (${code}).`, remedy: 'Give the user who runs Hygie the right to read it.' };
  }
  const [watched, data] = await Promise.all([realpath(folder), realpath(dataFolder).catch(() => dataFolder)]);
  if (!`${data}${sep}`.startsWith(watched === sep ? sep : `${watched}${sep}`)) return undefined;
  return {
    problem: 'Holds the data folder (HYGIE_DATA), which changes all the time.',
    remedy: 'Use a folder of its own for the editions.',
  };
}
