// Writes numbers and bytes to disk while a snapshot is being built, so that memory does not grow with the edition.

import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';

export interface SpillFile<Numbers extends Uint32Array | Uint8Array> {
  push(value: number): void;
  /** Number of values that were pushed. */
  length(): number;
  /** Makes a function that returns all values pushed so far, one at each call, from the first to the last. */
  reader(): () => number;
  /** Returns everything that was pushed so far, in order, and removes the spill. */
  take(): Numbers;
  /** Removes the spill. Nothing can be pushed afterwards. */
  discard(): void;
}

const BUFFERED = 65_536;
/** Initial size of a buffer. It is small because a snapshot has dozens of spills, and in a small snapshot most of them stay short. */
const AT_FIRST = 1024;

/** Makes a spill of unsigned 32-bit numbers. Nothing is written to `file` until there are 256 KiB. */
export function createNumberSpill(file: string): SpillFile<Uint32Array> {
  return createSpill(file, (length) => new Uint32Array(length));
}

/** Makes a spill of bytes. */
export function createByteSpill(file: string): SpillFile<Uint8Array> {
  return createSpill(file, (length) => new Uint8Array(length));
}

function createSpill<Numbers extends Uint32Array | Uint8Array>(
  file: string,
  allocate: (length: number) => Numbers,
): SpillFile<Numbers> {
  let buffer = allocate(AT_FIRST);
  let used = 0;
  let written = 0;
  let descriptor: number | undefined;

  const flush = () => {
    descriptor ??= openSync(file, 'wx+');
    writeFileSync(descriptor, buffer);
    written += used;
    used = 0;
  };
  const makeRoom = () => {
    if (buffer.length === BUFFERED) return flush();
    const larger = allocate(buffer.length * 2);
    larger.set(buffer as never);
    buffer = larger;
  };
  const tooShort = () => new Error(`${file} is shorter than what was written to it: is the disk full?`);
  const discard = () => {
    buffer = allocate(0);
    used = 0;
    written = 0;
    if (descriptor === undefined) return;
    closeSync(descriptor);
    descriptor = undefined;
    rmSync(file, { force: true });
  };

  const push = (value: number) => {
    buffer[used++] = value;
    if (used === buffer.length) makeRoom();
  };

  return {
    push,
    length: () => written + used,
    reader() {
      const block = allocate(buffer.length);
      let start = 0;
      let at = block.length;
      return () => {
        if (at === block.length) {
          if (start < written) {
            const size = readSync(descriptor as number, block, 0, block.byteLength, start * block.BYTES_PER_ELEMENT);
            if (size < block.byteLength) throw tooShort();
          } else block.set(buffer.subarray(0, used) as never);
          start += block.length;
          at = 0;
        }
        return block[at++] as number;
      };
    },
    take() {
      const all = allocate(written + used);
      if (descriptor !== undefined) {
        const bytes = new Uint8Array(all.buffer, 0, written * all.BYTES_PER_ELEMENT);
        for (let done = 0; done < bytes.byteLength; ) {
          const count = readSync(descriptor, bytes, done, Math.min(bytes.byteLength - done, 2 ** 26), done);
          if (count === 0) throw tooShort();
          done += count;
        }
      }
      all.set(buffer.subarray(0, used) as never, written);
      discard();
      return all;
    },
    discard,
  };
}
