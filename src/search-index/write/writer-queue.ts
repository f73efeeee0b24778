// The queue into a snapshot that is being built. Callers add resources of any type; the queue sends them to the builders in batches.

import type { MessagePort } from 'node:worker_threads';
import { byType, RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import type { Dictionaries, WriterHandle, WriterQueue } from '#search-index/snapshot-writer.ts';
import { createBatchWriter, type RecordBatch } from './record-batch.ts';

/** The destination of a queue's batches. */
export interface QueueEnd {
  /** Sends a batch. If it returns a promise, the queue should await it before it sends the next batch. */
  send(batch: RecordBatch): void | Promise<void>;
  /** Resolves when everything that was sent is stored. */
  stored(): Promise<void>;
}

/** Number of batches (of a quarter of a megabyte) that may wait for their builder, for each queue and type. */
const BATCHES_AHEAD = 4;

/**
 * Makes a queue.
 * @param connect returns the destination of the batches; its argument is a function that takes back the memory of stored batches
 */
export function createWriterQueue(texts: Dictionaries, connect: (reuse: Reuse) => QueueEnd): WriterQueue {
  const batchWriters = byType((type) => createBatchWriter(type, texts[type]));
  const used = new Set<ResourceType>();
  const frozen = new Set<ResourceType>();
  const end = connect((type, buffer) => batchWriters[type].reuse(buffer));

  const flush = async () => {
    for (const type of used) {
      const rest = batchWriters[type].rest();
      if (rest) await end.send(rest);
    }
    await end.stored();
  };
  return {
    add(resource) {
      used.add(resource.type);
      const full = batchWriters[resource.type].add(resource);
      return full && end.send(full);
    },
    flush,
    async freezeDictionaries() {
      await flush();
      for (const type of used) {
        if (frozen.has(type)) continue;
        frozen.add(type);
        batchWriters[type].encoder.freeze();
      }
      return byType((type) => (frozen.has(type) ? batchWriters[type].encoder.texts : []));
    },
    loadDictionaries(learned) {
      for (const type of RESOURCE_TYPES) {
        if (frozen.has(type)) continue;
        // The encoder of a type without a learned dictionary must stop learning too, because only one of the queues may make new marks.
        if (learned[type].length > 0) frozen.add(type);
        batchWriters[type].encoder.freeze(learned[type].length > 0 ? learned[type] : texts[type]);
        batchWriters[type].forgetTexts();
      }
    },
  };
}

export type Reuse = (type: ResourceType, buffer: ArrayBuffer) => void;

/** The messages between a queue and a builder. */
export type ToQueueEnd = RecordBatch;
export interface FromQueueEnd {
  stored: ArrayBuffer;
}

/** Opens a queue to builders in other threads, by a handle that `SnapshotWriter.handle` made. The open ports keep the thread running. */
export function openWriterQueue({ ports, texts }: WriterHandle): WriterQueue {
  return createWriterQueue(texts, (reuse) => connectPorts(ports, reuse));
}

/** Sends the batches of a queue to message ports, one for each type. */
export function connectPorts(ports: readonly MessagePort[], reuse: Reuse): QueueEnd {
  const ends = byType((type) => connectPort(ports[RESOURCE_TYPES.indexOf(type)] as MessagePort, type, reuse));
  return {
    send: (batch) => ends[batch.type].send(batch),
    async stored() {
      await Promise.all(RESOURCE_TYPES.map((type) => ends[type].atMost(0)));
    },
  };
}

function connectPort(port: MessagePort, type: ResourceType, reuse: Reuse) {
  let underWay = 0;
  let waiting: { count: number; resolve: () => void }[] = [];
  port.on('message', ({ stored }: FromQueueEnd) => {
    underWay--;
    reuse(type, stored);
    for (const { count, resolve } of waiting) if (underWay <= count) resolve();
    waiting = waiting.filter(({ count }) => underWay > count);
  });
  const atMost = (count: number): Promise<void> =>
    underWay <= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return {
    atMost,
    send(batch: RecordBatch): void | Promise<void> {
      port.postMessage(batch satisfies ToQueueEnd, [batch.bytes.buffer]);
      if (++underWay > BATCHES_AHEAD) return atMost(BATCHES_AHEAD / 2);
    },
  };
}
