// Stores and fetches the parts of snapshot files in the database. Parts are compressed, and the name of a part is the digest of its
// content. So a part that exists already is neither stored nor fetched again, not even after an interruption. Each statement moves one
// part.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { hygie } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

/** Bytes of a part; the last part of a file has fewer. */
export const PART_BYTES = 2 ** 20;
/** Maximum bytes by which a part may grow when it is compressed. Real growth is far smaller. */
const GROWTH = 2 ** 16;
/** Maximum parts that one statement removes. It is small, because PostgreSQL removes each part in pieces of 2 kB. */
const PARTS_AT_ONCE = 16;
const FOREIGN_KEY = '23503';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The fastest level of compression. With it, a snapshot shrinks to 45 %; level 3 would shrink it to 40 % in twice the time. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Thrown when a part is missing in the database, or when its content does not fit its name. */
export class WrongPart extends Error {
  override name = 'WrongPart';

  constructor(message: string) {
    super(`${message}; where the snapshot's file is, ${hygie('directory verify')} stores it anew`);
  }
}

/** Returns the number of parts of a file with this number of bytes. */
export function partsOf(bytes: number): number {
  return Math.ceil(bytes / PART_BYTES);
}

export function digestOf(part: Uint8Array): string {
  return createHash('sha256').update(part).digest('hex');
}

/**
 * Returns the digests of a snapshot's parts, by the number of the part. `bytes` is the size of the snapshot's file. While the snapshot is
 * being stored, some numbers are missing.
 */
export async function listParts(
  database: Database,
  { id, bytes }: { id: string; bytes: number },
): Promise<Map<number, string>> {
  const rows: Row<'directory_snapshot_parts'>[] = await database('directory_snapshot_parts')
    .where({ snapshot: id })
    .whereBetween('number', [0, partsOf(bytes) - 1])
    .orderBy('number');
  return new Map(rows.map(({ number, digest }) => [number, digest]));
}

/**
 * Stores a part of a snapshot. Resolves with the number of bytes that went to the database; 0 if the database has the part already. If a
 * part under this name has a wrong content, it is replaced.
 */
export async function storePart(database: Database, snapshot: string, number: number, part: Buffer): Promise<number> {
  const id = digestOf(part);
  const content = (await hasPart(database, id, part.length)) ? undefined : await compress(part, FAST);
  if (content) await database('directory_parts').insert({ id, content }).onConflict('id').merge();
  try {
    await database('directory_snapshot_parts')
      .insert({ snapshot, number, digest: id })
      .onConflict(['snapshot', 'number'])
      .merge();
  } catch (error) {
    // Another import has removed the part meanwhile, because no snapshot needed it yet. So the part is stored again.
    if ((error as { code?: string }).code === FOREIGN_KEY) return storePart(database, snapshot, number, part);
    throw error;
  }
  return content?.length ?? 0;
}

async function hasPart(database: Database, digest: string, bytes: number): Promise<boolean> {
  try {
    await fetchPart(database, digest, bytes);
    return true;
  } catch (error) {
    if (error instanceof WrongPart) return false;
    throw error;
  }
}

/** Fetches a part of `bytes` bytes. Throws `WrongPart` if the database has no part under this name, or if the part has another content. */
export async function fetchPart(database: Database, digest: string, bytes: number): Promise<Buffer> {
  // The length of the stored content and that of the unpacked content are limited, so that neither can fill the memory.
  const row: Pick<Row<'directory_parts'>, 'content'> | undefined = await database('directory_parts')
    .where({ id: digest })
    .whereRaw('length(content) <= ?', [bytes + GROWTH])
    .first('content');
  if (!row) throw new WrongPart(`the database has no part ${digest}, or one that is too long`);
  const part = await decompress(row.content, { maxOutputLength: bytes }).catch((error: Error) => {
    throw new WrongPart(`the part ${digest} cannot be unpacked to ${bytes} bytes: ${error.message}`);
  });
  if (part.length !== bytes || digestOf(part) !== digest) throw new WrongPart(`the part ${digest} has another content`);
  return part;
}

/**
 * Removes the parts of snapshots that are not in the registry. Resolves with the number of removed parts. Only the holder of the import
 * lock may call it, because the parts of a new snapshot are stored before the snapshot is in the registry.
 */
export async function pruneParts(database: Database): Promise<number> {
  await database('directory_snapshot_parts')
    .whereNotIn('snapshot', database('directory_snapshots').select('id'))
    .delete();
  const unused = () =>
    database('directory_parts as part')
      .whereNotExists(database('directory_snapshot_parts').whereRaw('digest = part.id').select('number'))
      .limit(PARTS_AT_ONCE)
      .select('id');
  let removed = 0;
  for (;;) {
    const count = await database('directory_parts').whereIn('id', unused()).delete();
    if (count === 0) return removed;
    removed += count;
  }
}
