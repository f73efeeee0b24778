// The thread that builds one part of a large snapshot. It runs a builder, and the writer controls the builder by messages.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ResourceType } from '#search-index/snapshot.ts';
import { type BuilderOptions, createBuilder } from './builder.ts';
import type { TypeResult } from './type-builder.ts';
import type { FromQueueEnd, ToQueueEnd } from './writer-queue.ts';

export interface BuilderStart {
  type: ResourceType;
  options: BuilderOptions;
}

/**
 * Messages from the writer. `queue`: take batches from a new queue. `complete`: no more resources will come. `finish`: add the files of the
 * other parts, and finish the file.
 */
export type ToBuilder = { queue: MessagePort } | 'complete' | { finish: readonly string[] };
export interface FromBuilder {
  finished: TypeResult;
}

function build(port: MessagePort, { type, options }: BuilderStart): void {
  const builder = createBuilder(options, [type]);
  const queues: MessagePort[] = [];

  const listen = (queue: MessagePort) => {
    const take = builder.queue();
    queues.push(queue);
    queue.on('message', (batch: ToQueueEnd) => {
      take(batch);
      const { buffer } = batch.bytes;
      queue.postMessage({ stored: buffer } satisfies FromQueueEnd, [buffer]);
    });
  };

  port.on('message', (message: ToBuilder) => {
    if (message === 'complete') builder.complete(type);
    else if ('queue' in message) listen(message.queue);
    else {
      port.postMessage({ finished: builder.finish(message.finish)[type] as TypeResult } satisfies FromBuilder);
      for (const queue of queues) queue.close();
      port.close();
    }
  });
}

if (parentPort === null) throw new Error('this file runs as a thread of the snapshot writer');
build(parentPort, workerData as BuilderStart);
