// The checksum of a snapshot file: taken when it is registered, compared when it is verified.

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const BLOCK = 4 * 2 ** 20;

/** BLAKE2b of a file: 256 bits of it in hexadecimal digits. `onRead` is given the bytes that were read so far. */
export async function checksumOfFile(file: string, onRead: (bytes: number) => void = () => {}): Promise<string> {
  const hash = createHash('blake2b512');
  const handle = await open(file);
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(block, 0, BLOCK, at);
      if (bytesRead === 0) return hash.digest('hex').slice(0, 64);
      hash.update(block.subarray(0, bytesRead));
      at += bytesRead;
      onRead(at);
    }
  } finally {
    await handle.close();
  }
}
