// Drives load against one server: as fast as it answers, or at a steady rate.

import { setTimeout } from 'node:timers/promises';
import { type Measurement, measurementOf } from '#tools/site/load.ts';
import { processorSeconds } from '#tools/site/proc.ts';
import { type Connection, connect } from './connection.ts';

export interface Target {
  address: string;
  pid: number;
  headers: Readonly<Record<string, string>>;
  /** Asked in turn. */
  paths: readonly string[];
  /** A POST sends what stands behind the `?` of a path as a form. */
  method?: 'GET' | 'POST';
}

/** Asks on `parallel` connections for `seconds`, each as soon as it was answered. */
export async function atFullSpeed(target: Target, seconds: number, parallel: number): Promise<Measurement> {
  const connections = await connectAll(target, parallel);
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const used = processorSeconds(target.pid);
  const end = began + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        const before = performance.now();
        await connection.ask(target.paths[next++ % target.paths.length] ?? '/');
        times.push(performance.now() - before);
      }
    }),
  );
  for (const connection of connections) connection.close();
  return measurementOf(times, times.length, performance.now() - began, processorSeconds(target.pid) - used);
}

/**
 * Connections at most: beyond them requests wait, and the wait counts. Few enough, and used in turn, that none is idle
 * for so long that the server closes it.
 */
const MOST_CONNECTIONS = 64;
const USED_EVERY_SECONDS = 0.5;

/**
 * Asks `rate` times per second until `until` has settled. A time counts from the instant at which the request was due, so
 * that a server that stands still is charged for all that it kept waiting, also for what it has not answered at the end.
 */
export async function atSteadyRate(target: Target, rate: number, until: Promise<unknown>): Promise<Measurement> {
  let over = false;
  const end = () => {
    over = true;
  };
  const ended = until.then(end, end);
  const idle = await connectAll(target, Math.min(MOST_CONNECTIONS, Math.ceil(rate * USED_EVERY_SECONDS)));
  const due: number[] = [];
  const times: number[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: unknown;
  const ask = async (connection: Connection, number: number, dueAt: number) => {
    await connection.ask(target.paths[number % target.paths.length] ?? '/');
    times.push(performance.now() - dueAt);
    idle.push(connection);
  };
  const began = performance.now();
  const used = processorSeconds(target.pid);
  let sent = 0;
  let scheduled = 0;
  while (!over && failure === undefined) {
    const now = performance.now();
    while (began + (scheduled * 1000) / rate <= now) due.push(began + (scheduled++ * 1000) / rate);
    while (due.length > 0 && idle.length > 0) {
      const running = ask(idle.shift() as Connection, sent++, due.shift() as number)
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => underWay.delete(running));
      underWay.add(running);
    }
    await setTimeout(1);
  }
  await Promise.all([...underWay, ended]);
  const elapsed = performance.now() - began;
  const processor = processorSeconds(target.pid) - used;
  for (const connection of idle) connection.close();
  if (failure !== undefined) throw failure;
  // Requests that were due and never sent count as well: a server that cannot keep up would look better without them.
  const answered = times.length;
  for (const dueAt of due) times.push(performance.now() - dueAt);
  return measurementOf(times, answered, elapsed, processor);
}

function connectAll(target: Target, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => connect(target.address, target.headers, target.method)));
}
