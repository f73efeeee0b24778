// Owns a lane into a snapshot that is being built: resources of all types go in, batches go out to the builders, perhaps
// of other threads. Does not own the batches (`sqlite-arrivals.ts`) nor what is done with them (`sqlite-builder.ts`).

import type { MessagePort } from 'node:worker_threads';
import {
  type LaneTicket,
  type PackedTexts,
  RESOURCE_TYPES,
  type ResourceType,
  type SnapshotLane,
} from '../snapshot.ts';
import { type Batch, createBatchMaker } from './record-batch.ts';

/** Where the batches of a lane go. */
export interface LaneEnd {
  /** A promise is returned when the lane should wait. */
  send(batch: Batch): void | Promise<void>;
  /** Resolves when all that was sent is stored. */
  stored(): Promise<void>;
}

/** Batches of one lane and type (of a quarter of a megabyte) that may wait for their builder. */
const BATCHES_AHEAD = 4;

/** @param connect makes the end of the lane; it is given the function that takes back the memory of batches. */
export function createLane(texts: PackedTexts, connect: (reuse: Reuse) => LaneEnd): SnapshotLane {
  const makers = mapTypes((type) => createBatchMaker(type, texts[type]));
  const used = new Set<ResourceType>();
  const settled = new Set<ResourceType>();
  const end = connect((type, buffer) => makers[type].reuse(buffer));

  const flush = async () => {
    for (const type of used) {
      const rest = makers[type].rest();
      if (rest) await end.send(rest);
    }
    await end.stored();
  };
  return {
    add(resource) {
      used.add(resource.type);
      const full = makers[resource.type].add(resource);
      return full && end.send(full);
    },
    flush,
    async learned() {
      await flush();
      for (const type of used) {
        if (settled.has(type)) continue;
        settled.add(type);
        makers[type].packer.settle();
      }
      return mapTypes((type) => (settled.has(type) ? makers[type].packer.texts : []));
    },
    adopt(learned) {
      for (const type of RESOURCE_TYPES) {
        if (settled.has(type)) continue;
        // What nobody has learned yet stays unknown to this lane, for two lanes must never make marks of their own.
        if (learned[type].length > 0) settled.add(type);
        makers[type].packer.settle(learned[type].length > 0 ? learned[type] : texts[type]);
        makers[type].forgetTexts();
      }
    },
  };
}

export type Reuse = (type: ResourceType, buffer: ArrayBuffer) => void;

/** What goes to a builder through the port of a lane, and what comes back. */
export type ToLaneEnd = Batch;
export interface FromLaneEnd {
  stored: ArrayBuffer;
}

/** A lane to builders in other threads, out of what `SnapshotWriter.lane` gave. The ports keep the thread alive. */
export function openLane({ ports, texts }: LaneTicket): SnapshotLane {
  return createLane(texts, (reuse) => connectPorts(ports, reuse));
}

/** The end of a lane behind message ports, one for each type. */
export function connectPorts(ports: readonly MessagePort[], reuse: Reuse): LaneEnd {
  const ends = mapTypes((type) => connectPort(ports[RESOURCE_TYPES.indexOf(type)] as MessagePort, type, reuse));
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
  port.on('message', ({ stored }: FromLaneEnd) => {
    underWay--;
    reuse(type, stored);
    for (const { count, resolve } of waiting) if (underWay <= count) resolve();
    waiting = waiting.filter(({ count }) => underWay > count);
  });
  const atMost = (count: number): Promise<void> =>
    underWay <= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return {
    atMost,
    send(batch: Batch): void | Promise<void> {
      port.postMessage(batch satisfies ToLaneEnd, [batch.bytes.buffer]);
      if (++underWay > BATCHES_AHEAD) return atMost(BATCHES_AHEAD / 2);
    },
  };
}

function mapTypes<Value>(make: (type: ResourceType) => Value): Record<ResourceType, Value> {
  return Object.fromEntries(RESOURCE_TYPES.map((type) => [type, make(type)])) as Record<ResourceType, Value>;
}
