// Reads a file into the system's page cache, and finds the stretches that have left it. The calls block, so only threads make them.
//
// Node cannot ask the system which pages of a file are in memory (mincore), so a small read is timed: it takes 2 to 10 microseconds from
// memory, and 60 or more from any disk. A read is also slow if the thread had to wait for the processor. Then the stretch is read again
// from memory, which takes only 0.1 ms.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes of a stretch. One of its pages is read; if that page was not in memory, the whole stretch is read. */
export const STRETCH = 256 * 1024;
const PAGE = 4096;
/** Bytes that are read at a time. */
const BLOCK = 4 * 1024 * 1024;
/** A page that takes this many milliseconds to read is assumed to come from the disk. */
const SLOW = 0.04;

/** Reads the whole file block by block, or until `stopped` returns true. Returns the number of bytes. */
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
 * Reads one random page of each stretch, and reads the whole stretch if that page was not in memory. It ends when `stopped` returns true.
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
