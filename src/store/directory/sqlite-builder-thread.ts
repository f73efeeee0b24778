// Owns the thread in which a large snapshot is built: a builder behind messages. Does not own what it does.

import { parentPort, workerData } from 'node:worker_threads';
import type { Batch } from './sqlite-arrivals.ts';
import { type BuilderOptions, createBuilder } from './sqlite-builder.ts';

/** What the writer sends. A batch is answered by its number and its memory once it is stored. */
export type ToBuilder = { number: number; batch: Batch } | 'finish' | 'abandon';

const port = parentPort;
if (port === null) throw new Error('this file runs as a thread of the snapshot writer');
const builder = createBuilder(workerData as BuilderOptions);

port.on('message', (message: ToBuilder) => {
  if (message === 'finish') {
    port.postMessage({ finished: builder.finish() });
    port.close();
  } else if (message === 'abandon') {
    builder.abandon();
    port.close();
  } else {
    builder.add(message.batch);
    port.postMessage({ stored: message.number, buffer: message.batch.bytes.buffer }, [message.batch.bytes.buffer]);
  }
});
