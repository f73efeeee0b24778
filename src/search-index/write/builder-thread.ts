// Owns the thread in which a part of a large snapshot is built: a builder behind messages. Does not own what it does.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ResourceType } from '../snapshot.ts';
import { type BuilderOptions, createBuilder } from './builder.ts';
import type { TypeResult } from './segment-builder.ts';
import type { FromLaneEnd, ToLaneEnd } from './writer-queue.ts';

export interface BuilderStart {
  type: ResourceType;
  options: BuilderOptions;
}

/** What the writer sends: a new lane, that all resources are there, the end with the parts to take. */
export type ToBuilder = { lane: MessagePort } | 'complete' | { finish: readonly string[] };
export interface FromBuilder {
  finished: TypeResult;
}

if (parentPort === null) throw new Error('this file runs as a thread of the snapshot writer');
const port = parentPort;
const { type, options } = workerData as BuilderStart;
const builder = createBuilder(options, [type]);
const lanes: MessagePort[] = [];

port.on('message', (message: ToBuilder) => {
  if (message === 'complete') builder.complete(type);
  else if ('lane' in message) listen(message.lane);
  else {
    port.postMessage({ finished: builder.finish(message.finish)[type] as TypeResult } satisfies FromBuilder);
    for (const lane of lanes) lane.close();
    port.close();
  }
});

function listen(lane: MessagePort): void {
  const take = builder.lane();
  lanes.push(lane);
  lane.on('message', (batch: ToLaneEnd) => {
    take(batch);
    const { buffer } = batch.bytes;
    lane.postMessage({ stored: buffer } satisfies FromLaneEnd, [buffer]);
  });
}
