// Reads a file into the system's page cache, and finds the stretches that have left it. The functions block, so only threads call them.
//
// Node cannot ask the system which pages of a file are in memory (mincore), so a small read is timed: it takes 2 to 10 microseconds from
// memory, and 60 or more from any disk. A small read from memory is also slow if the thread had to wait for the processor. The stretch is
// then read again without need, but that takes only 0.1 ms.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes of a stretch. A check reads one page of each stretch. If that page was not in memory, the check reads the whole stretch. */
export const STRETCH = 256 * 1024;
const PAGE = 4096;
/** Bytes that are read at a time. */
const BLOCK = 4 * 1024 * 1024;
/** A page that takes at least this many milliseconds to read is assumed to come from the disk. */
const SLOW = 0.04;

/** Reads a file block by block, to its end or until `stopped` returns true. Returns the number of bytes that were read. */
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
 * Reads one random page of each stretch, and the whole stretch if that page was not in memory. Ends early if `stopped` returns true.
 * Returns the number of bytes that were read again.
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
