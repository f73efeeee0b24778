// Owns the thread in which a large snapshot is built: a builder behind messages. Does not own what it does.

import { parentPort, workerData } from 'node:worker_threads';
import { type Arrival, type BuilderOptions, createBuilder } from './sqlite-builder.ts';

/** What the writer sends. A batch is answered by its number once it is stored. */
export type ToBuilder = { batch: number; arrivals: Arrival[] } | 'finish' | 'abandon';

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
    for (const arrival of message.arrivals) builder.add(arrival);
    port.postMessage({ stored: message.batch });
  }
});
