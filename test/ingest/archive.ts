// Gives tests a zip archive with one file, made byte by byte: the product reads archives and writes none.

import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with one deflated file. */
export function zip(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(name.length, 0);
  const local = Buffer.concat([
    Buffer.from([80, 75, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]),
    sizes,
    lengths,
    Buffer.from(name),
  ]);
  const central = Buffer.concat([
    Buffer.from([80, 75, 1, 2, 20, 0, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]),
    sizes,
    lengths,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  Buffer.from([80, 75, 5, 6]).copy(end);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + packed.length, 16);
  return Buffer.concat([local, packed, central, end]);
}
