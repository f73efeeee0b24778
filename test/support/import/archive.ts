// Gives tests zip archives made byte by byte: the product reads archives and writes none.

import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with one deflated file, or with several of the same content. */
export function zip(names: string | readonly string[], content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  const given = typeof names === 'string' ? [names] : names;
  for (const name of given) {
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(name.length, 0);
    const start = Buffer.from([80, 75, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    const local = Buffer.concat([start, sizes, lengths, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const listed = Buffer.from([80, 75, 1, 2, 20, 0, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    centrals.push(Buffer.concat([listed, sizes, lengths, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  Buffer.from([80, 75, 5, 6]).copy(end);
  end.writeUInt16LE(given.length, 8);
  end.writeUInt16LE(given.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
