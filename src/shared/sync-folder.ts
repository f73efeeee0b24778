// Flushes a folder to the disk, so that its entries survive a power failure.

import { open } from 'node:fs/promises';

/** Writes the names in a folder to the disk, after the contents of its files. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot, and some network file systems need not.
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
