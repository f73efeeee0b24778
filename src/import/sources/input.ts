// What every input has in common, whether it is a plain file, a gzip file or a member of a zip archive.

import { pipeline, type Readable, type Transform } from 'node:stream';
import { ImportError } from '#import/collect/import-error.ts';
import { isFileSystemError, toReadError } from './read-errors.ts';

/** One stream of text lines: a file, or one file inside an archive. */
export interface Input {
  /** For messages: the path as given, with `!name` behind it for a file inside a zip archive. */
  name: string;
  /** Whether the operator named it; the files of a named folder or archive were not. */
  named: boolean;
  /** The path under which it was given; one for all files that a program found in a folder. */
  given: string;
  /** Names that may say its date: its own, then those of its archive and folders, the nearest first. */
  names: readonly string[];
  /** Bytes on disk, for the progress bar. */
  size: number;
  /** Bytes of its content, as far as the packing tells: a gzip file may hold more than it says. */
  plainSize: number;
  /** Names of the files beside it whose sizes and checksums it is compared with. */
  publishedIn: readonly string[];
  /** Compares with what the publisher says as far as that can be known before reading. Throws an `ImportError`. */
  check(): Promise<void>;
  /**
   * Opens the decompressed content. `onRead` is called with the bytes on disk that were consumed. At its end the file is
   * compared with the checksums that its publisher gives, unless `compare` says otherwise.
   */
  open(onRead: (bytes: number) => void, compare?: boolean): Promise<AsyncIterable<Buffer>>;
}

/** How a file is opened, wherever it was found. */
export type Opening = Omit<Input, 'named' | 'given' | 'names'>;

/** Bytes read at a time. */
export const CHUNK = 1 << 20;
export const DAMAGED = 'Download the file again and compare its size or checksum with the publisher’s.';

/** Content of a file that a transformation unpacks; any error of either becomes an `ImportError`. */
export async function* unpacked(
  name: string,
  from: Readable,
  through: Transform,
  onEnd: () => void = () => {},
): AsyncGenerator<Buffer> {
  pipeline(from, through, () => {});
  try {
    yield* through as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ImportError) throw error;
    if (isFileSystemError(error)) throw toReadError(error, name);
    throw new ImportError({ file: name }, `is truncated or damaged (${(error as Error).message}).`, DAMAGED);
  } finally {
    from.destroy();
    through.destroy();
    onEnd();
  }
}
