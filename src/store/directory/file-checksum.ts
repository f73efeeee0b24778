// Owns the checksum of a snapshot's file: taken when it is registered, compared when it is verified.
// Does not own where it is kept (`catalogue.ts`).

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const BLOCK = 4 * 2 ** 20;

/** SHA-256 of a file, in hexadecimal digits. `onRead` hears of the bytes that were read so far. */
export async function checksumOfFile(file: string, onRead: (bytes: number) => void = () => {}): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(block, 0, BLOCK, at);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
      at += bytesRead;
      onRead(at);
    }
  } finally {
    await handle.close();
  }
}
