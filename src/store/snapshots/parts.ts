// The parts in which snapshot files travel through the database. They are compressed, and named by their content. So parts that are there
// already are neither stored nor fetched again, even if the work was interrupted. Each statement moves one part.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { hygie } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

/** Bytes of a part; the last one of a file has fewer. */
export const PART_BYTES = 2 ** 20;
/** Bytes by which a part may grow when it is compressed. This leaves room to spare. */
const GROWTH = 2 ** 16;
/** Maximum parts that one statement removes, because PostgreSQL handles them in pieces of 2 kB. */
const PARTS_AT_ONCE = 16;
const FOREIGN_KEY = '23503';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The fastest level: a snapshot shrinks to 45 % with it, and to 40 % with level 3 in twice the time. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Thrown when a part in the database is missing, or its content does not fit its name. */
export class WrongPart extends Error {
  override name = 'WrongPart';

  constructor(message: string) {
    super(`${message}; where the snapshot's file is, ${hygie('directory verify')} stores it anew`);
  }
}

/** Returns the number of parts of a file of that many bytes. */
export function partsOf(bytes: number): number {
  return Math.ceil(bytes / PART_BYTES);
}

export function digestOf(part: Uint8Array): string {
  return createHash('sha256').update(part).digest('hex');
}

/**
 * Returns the digests of a snapshot's parts, by number. `bytes` is the size of its file. While the snapshot is being stored, numbers are
 * missing.
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
 * Stores a part of a snapshot. Resolves with the bytes that went to the database, 0 if it has the part already. A stored content that does
 * not fit its name is replaced.
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
    // Another import has just removed the part, which no snapshot needed until now.
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

/** Fetches a part of that many bytes. Throws `WrongPart` if the database has none under this name, or another content. */
export async function fetchPart(database: Database, digest: string, bytes: number): Promise<Buffer> {
  // Both lengths are limited, so that neither the stored content nor the unpacked one can fill the memory.
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
 * Removes the parts of snapshots that the registry does not have. Resolves with their number. Only the holder of the import lock may call
 * it, because the parts of a new snapshot are stored before the registry has it.
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
