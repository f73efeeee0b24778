// Reads a file into the system's page cache, and finds the stretches that have left it again. It blocks, so only threads use it.
//
// Node cannot ask the system which pages of a file are in memory (mincore), so the time of small reads decides: 2 to 10 microseconds from
// memory, 60 and more from any disk. A stretch that seems lost because the thread had to wait for the processor is read again from memory,
// which costs 0.1 ms.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes of a stretch. One of its pages is probed, and the stretch is read again if that page is not in memory. */
export const STRETCH = 256 * 1024;
const PAGE = 4096;
/** Bytes that are read at a time. */
const BLOCK = 4 * 1024 * 1024;
/** If reading a page takes this many milliseconds, it is taken to come from the disk. */
const SLOW = 0.04;

/** Reads the whole file block by block, until `stopped`. Returns the bytes read. */
export function readAll(file: string, stopped: () => boolean): number {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafeSlow(BLOCK);
    let at = 0;
    for (let read = -1; read !== 0 && !stopped(); at += read) read = readSync(descriptor, buffer, 0, BLOCK, at);
    return at;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Looks at one page of each stretch, another one each time, and reads a stretch again when its page was not in memory, until `stopped`.
 * Returns the bytes that were read again.
 */
export function readLost(file: string, stopped: () => boolean): number {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.allocUnsafeSlow(STRETCH);
    let lost = 0;
    for (let at = 0; at < size && !stopped(); at += STRETCH) {
      const length = Math.min(STRETCH, size - at);
      const page = at + PAGE * Math.floor(Math.random() * Math.ceil(length / PAGE));
      const before = performance.now();
      readSync(descriptor, buffer, 0, PAGE, page);
      if (performance.now() - before < SLOW) continue;
      lost += readSync(descriptor, buffer, 0, length, at);
    }
    return lost;
  } finally {
    closeSync(descriptor);
  }
}
