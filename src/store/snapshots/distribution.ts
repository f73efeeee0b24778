// Brings snapshots to other instances through PostgreSQL: stores the parts of a file in the database, and makes the same file from them on
// another machine. An instance with a secret fetches only a snapshot with a valid seal, which covers id, size and checksum of the file. An
// instance without a secret seals nothing and fetches only unsealed snapshots. Each fetched file must have the size and the checksum that
// the row of the snapshot names. `directory.distribution` decides whether snapshots are distributed (`distributionFor`): by default with
// PostgreSQL, and never with SQLite. `server/bring-directory.ts` distributes them in the background.

import { chmodSync, constants, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '#config/settings.ts';
import { createChecksum } from '#search-index/index.ts';
import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { requireSpace, syncFolder } from '#shared/disk.ts';
import { type Database, isPostgres } from '#store/database/connection.ts';
import { snapshotFolder } from './folder.ts';
import { ImportLocked, lockFolder } from './import-lock.ts';
import { digestOf, fetchPart, listParts, PART_BYTES, partsOf, storePart } from './parts.ts';
import { listSnapshots, recordSeal, type SnapshotEntry } from './registry.ts';

/** The facts about a snapshot's file in the row of the snapshot. */
type Stored = Pick<SnapshotEntry, 'id' | 'file' | 'bytes' | 'checksum' | 'seal'>;

/** Thrown when a snapshot cannot be fetched or stored, and another try at once would not help. */
export class NotDistributed extends Error {
  override name = 'NotDistributed';
}

/** The bytes of a file, and the bytes that went through the database: `store` counts them compressed, `fetch` uncompressed. */
export interface Moved {
  bytes: number;
  through: number;
}

interface MoveOptions {
  /** Ends the work after the current part. */
  signal?: AbortSignal;
  /** Called after each part, with the share (0-1) that is done. */
  onProgress?: ((done: number) => unknown) | undefined;
}

export interface Distribution {
  /** Checks whether the folder of snapshots has the whole file. */
  has(entry: Stored): boolean;
  /**
   * Stores those parts of a file that the database lacks. Resolves with the seal for the row of the snapshot. Throws `NotDistributed` if
   * the file is damaged.
   */
  store(entry: Stored, options?: MoveOptions): Promise<Moved & { seal: string | undefined }>;
  /**
   * Returns 'stored' if all parts are in the database and sealed, 'foreign' if an instance with another secret sealed them, and 'lacking'
   * in all other cases.
   */
  state(entry: Stored): Promise<'stored' | 'lacking' | 'foreign'>;
  /**
   * Makes the file from the stored parts. Parts that an earlier try has left in the folder are verified and kept. Throws `NotDistributed`,
   * `WrongPart`, a `Refusal` if the disk has no room, or `ImportLocked` if another process that uses the folder is fetching a snapshot.
   * After each of these errors, the folder still lacks the snapshot.
   */
  fetch(entry: Stored, options?: MoveOptions): Promise<Moved>;
}

/**
 * Maximum milliseconds of the pause after each part. The pause is as long as the work on the part took, so that half of the time is left
 * for requests and for other work of the database.
 */
const LONGEST_PAUSE = 25;
/** Milliseconds between two looks whether another process has finished fetching the file. */
const LOOK_AGAIN = 500;
const FETCH_LOCK = 'directory-fetch';
const UNFINISHED = '.fetching';

type DistributionSettings = Pick<Settings, 'dataFolder'> & {
  directory: Pick<Settings['directory'], 'distribution'>;
  keys: Pick<Settings['keys'], 'secrets'>;
};

/** Returns the distribution that the settings ask for; undefined if snapshots are not distributed through the database. */
export function distributionFor(database: Database, settings: DistributionSettings): Distribution | undefined {
  // The engine of `database` is checked as well, because it need not be the database of the settings: a trial run may use an empty SQLite
  // database in memory.
  if (settings.directory.distribution !== 'database' || !isPostgres(database)) return undefined;
  return openDistribution(database, settings);
}

/** Opens the distribution. Without a secret, nothing is sealed, and a snapshot with a seal is not fetched. */
export function openDistribution(
  database: Database,
  { dataFolder, keys: { secrets } }: Pick<DistributionSettings, 'dataFolder' | 'keys'>,
): Distribution {
  const folder = snapshotFolder(dataFolder);
  const pathOf = ({ file }: Stored) => join(folder, file);

  const sealState = async (entry: Stored): Promise<'sealed' | 'unsealed' | 'foreign'> => {
    const { available, check } = await openSeals(secrets);
    if (entry.seal === undefined) return available ? 'unsealed' : 'sealed';
    return check(sealedText(entry), entry.seal) === 'valid' ? 'sealed' : 'foreign';
  };

  const state = async (entry: Stored): Promise<'stored' | 'lacking' | 'foreign'> => {
    const sealed = await sealState(entry);
    if (sealed === 'foreign') return sealed;
    return sealed === 'sealed' && (await listParts(database, entry)).size === partsOf(entry.bytes)
      ? 'stored'
      : 'lacking';
  };

  /**
   * Refuses a snapshot before any part of it is fetched, if its seal is invalid, or is missing although the service has a secret. No
   * instance with a secret of this service has stored such a snapshot.
   */
  const refuseUnsealed = async (entry: Stored) => {
    const sealed = await sealState(entry);
    if (sealed === 'sealed' && entry.checksum !== undefined) return;
    throw new NotDistributed(
      sealed === 'foreign'
        ? `the snapshot ${entry.id} is not sealed by the secret of this instance: it is of another service, was changed, or an instance has another HYGIE_KEY_SECRET; it is not fetched`
        : `the snapshot ${entry.id} has no seal: no instance has stored all of it yet; an instance that serves it with directory.distribution: database does, or the command directory verify on its machine`,
    );
  };

  return {
    has: (entry) => existsSync(pathOf(entry)) && statSync(pathOf(entry)).size === entry.bytes,
    state,
    async store(entry, options = {}) {
      await using handle = await open(pathOf(entry), 'r');
      const read = async (number: number, size: number) => {
        const part = await readAt(handle, number, size);
        if (part) return part;
        throw new NotDistributed(`${entry.file} is shorter than its row in the database says`);
      };
      // The whole file is verified first, because parts of a damaged file must not replace the parts of a sound file.
      await eachPart(entry, { ...options, onProgress: undefined }, async (number, size) => ({
        part: await read(number, size),
        moved: 0,
      }));
      const through = await eachPart(entry, options, async (number, size) => {
        const part = await read(number, size);
        return { part, moved: await storePart(database, entry.id, number, part) };
      });
      return { bytes: entry.bytes, through, seal: (await openSeals(secrets)).seal(sealedText(entry)) };
    },
    async fetch(entry, options = {}) {
      await refuseUnsealed(entry);
      mkdirSync(folder, { recursive: true });
      const unfinished = pathOf(entry) + UNFINISHED;
      // The space is checked before anything is written, because a full disk would harm other work as well.
      await requireSpace(folder, entry.bytes - (statSync(unfinished, { throwIfNoEntry: false })?.size ?? 0));
      const digests = await listParts(database, entry);
      if (digests.size !== partsOf(entry.bytes))
        throw new NotDistributed(
          `the database has ${digests.size} of the ${partsOf(entry.bytes)} parts of ${entry.id}`,
        );
      const unlock = lockFolder(dataFolder, FETCH_LOCK);
      try {
        const handle = await open(unfinished, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
        let through = 0;
        try {
          through = await eachPart(entry, options, async (number, size) => {
            const digest = digests.get(number) ?? '';
            const kept = await readAt(handle, number, size);
            if (kept && digestOf(kept) === digest) return { part: kept, moved: 0 };
            const part = await fetchPart(database, digest, size);
            const { bytesWritten } = await handle.write(part, 0, size, number * PART_BYTES);
            // On a full disk, fewer bytes than wanted are written. Without this check, the rest of the file would be zeros.
            if (bytesWritten < size) throw new Error(`${unfinished} cannot be written any further: the disk is full`);
            return { part, moved: size };
          });
          await handle.truncate(entry.bytes);
          await handle.sync();
        } finally {
          await handle.close();
        }
        // The file is first renamed, then made read-only. In the other order, a process that is killed in between would leave a file that
        // the next try cannot write to.
        renameSync(unfinished, pathOf(entry));
        chmodSync(pathOf(entry), 0o400);
        await syncFolder(folder);
        return { bytes: entry.bytes, through };
      } finally {
        // The unfinished file is kept. The next try compares each of its parts with the digest in the database, and fetches only the parts
        // that are wrong or missing.
        unlock();
      }
    },
  };
}

/**
 * Stores in the database the parts of a snapshot that is about to come into force. Then makes sure that this process still holds the import
 * lock (`confirm`). Without `distribution`, it only checks the lock. If the connection was lost meanwhile, another process may have had the
 * lock and removed the parts; then they are stored again. Resolves with the entry, to which the seal is added.
 */
export async function storeAndConfirm<Entry extends Stored>(
  distribution: Pick<Distribution, 'store' | 'state'> | undefined,
  entry: Entry,
  { confirm, ...options }: MoveOptions & { confirm(): Promise<void> },
): Promise<Entry> {
  for (;;) {
    const { seal } = (await distribution?.store(entry, options)) ?? {};
    const sealed = { ...entry, ...(seal !== undefined && { seal }) };
    await confirm();
    if (!distribution || (await distribution.state(sealed)) !== 'lacking') return sealed;
  }
}

/**
 * Stores the parts of a snapshot in the database if its file is on this machine, other instances cannot fetch it yet, and `begin` resolves
 * with true. A snapshot that an instance with another secret has sealed is left alone, so that two instances never replace each other's
 * seal. Throws like `store`. Resolves with undefined if nothing was stored.
 */
export async function storeIfLacking(
  database: Database,
  distribution: Distribution,
  entry: Stored,
  { begin = async () => true, ...options }: MoveOptions & { begin?: () => Promise<boolean> } = {},
): Promise<Moved | undefined> {
  if (!entry.checksum || !distribution.has(entry)) return undefined;
  if ((await distribution.state(entry)) !== 'lacking' || !(await begin())) return undefined;
  const { seal, ...moved } = await distribution.store(entry, options);
  if (seal !== undefined) await recordSeal(database, entry.id, seal);
  return moved;
}

/**
 * Fetches the file if it is not here. If another process that uses this folder is fetching it, waits until that has ended. Throws like
 * `fetch`.
 */
export async function bring(
  distribution: Pick<Distribution, 'has' | 'fetch'>,
  entry: Stored,
  options?: MoveOptions,
): Promise<void> {
  while (!distribution.has(entry)) {
    try {
      await distribution.fetch(entry, options);
    } catch (error) {
      if (!(error instanceof ImportLocked)) throw error;
      await setTimeout(LOOK_AGAIN);
    }
  }
}

/**
 * Replaces seals that were made with the second or a later secret by seals of the first secret, so that the other secrets may be dropped.
 * Resolves with the number of snapshots that got a new seal.
 */
export async function sealAnew(database: Database, { check, seal }: Seals): Promise<number> {
  let count = 0;
  for (const entry of await listSnapshots(database)) {
    const anew = seal(sealedText(entry));
    if (entry.seal === undefined || anew === undefined || anew === entry.seal) continue;
    if (check(sealedText(entry), entry.seal) !== 'valid') continue;
    await recordSeal(database, entry.id, anew);
    count += 1;
  }
  return count;
}

/** Returns the text for which a seal is computed. */
function sealedText({ id, bytes, checksum = '' }: Stored): string {
  return `directory snapshot ${id} ${bytes} ${checksum}`;
}

/**
 * Does `work` for each part in order, and compares the checksum of all parts with the checksum in the entry. Resolves with the number of
 * bytes that were moved.
 */
async function eachPart(
  entry: Stored,
  { signal, onProgress }: MoveOptions,
  work: (number: number, size: number) => Promise<{ part: Buffer; moved: number }>,
): Promise<number> {
  const checksum = createChecksum();
  const count = partsOf(entry.bytes);
  let through = 0;
  for (let number = 0; number < count; number += 1) {
    signal?.throwIfAborted();
    const started = performance.now();
    const { part, moved } = await work(number, Math.min(PART_BYTES, entry.bytes - number * PART_BYTES));
    checksum.update(part);
    through += moved;
    await onProgress?.((number + 1) / count);
    await setTimeout(Math.min(performance.now() - started, LONGEST_PAUSE));
  }
  if (checksum.digest() === entry.checksum) return through;
  throw new NotDistributed(`the parts of ${entry.id} together are not the file that was imported`);
}

/** Reads a part of a file. Returns undefined if the file ends before the end of the part. */
async function readAt(handle: FileHandle, number: number, size: number): Promise<Buffer | undefined> {
  const part = Buffer.allocUnsafe(size);
  const { bytesRead } = await handle.read(part, 0, size, number * PART_BYTES);
  return bytesRead === size ? part : undefined;
}
