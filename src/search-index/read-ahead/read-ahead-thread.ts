// The thread that reads a snapshot file into memory before searches need it. Later it reads those parts of the file again that have left
// memory.

import { parentPort } from 'node:worker_threads';
import { readAll, readLost } from './residency.ts';

/**
 * With `all` the whole file is read, with `lost` only the parts that have left memory. `stop` has one Int32. It is 0 at first; when it
 * changes, the thread stops reading, because nobody needs the result any more.
 */
export interface ToReadAhead {
  file: string;
  work: 'all' | 'lost';
  stop: Int32Array<SharedArrayBuffer>;
}

export type FromReadAhead = { bytes: number; milliseconds: number } | { error: string };

if (parentPort === null) throw new Error('this file runs as a thread of the read-ahead');
const port = parentPort;

port.on('message', ({ file, work, stop }: ToReadAhead) => {
  const started = performance.now();
  const stopped = () => Atomics.load(stop, 0) !== 0;
  try {
    const bytes = work === 'all' ? readAll(file, stopped) : readLost(file, stopped);
    port.postMessage({ bytes, milliseconds: performance.now() - started } satisfies FromReadAhead);
  } catch (error) {
    port.postMessage({ error: (error as Error).message } satisfies FromReadAhead);
  }
});
