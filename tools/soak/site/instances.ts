// The two instances of a soak, and what their logs say: errors, and V8's lines about its full collections.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { createServiceProcess } from '#tools/site/service-process.ts';
import { directRequest } from './direct.ts';

export interface HeapPoint {
  /** Seconds since the process began. */
  at: number;
  /** MB that were in use after a full collection. */
  megabytes: number;
}

export interface Instance {
  readonly name: string;
  readonly port: number;
  /** Id of the process that runs now. */
  readonly pid: number;
  /** When that process began, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  logLength(): number;
  /** Whether the text was logged since the given length of the log. */
  logged(text: string, from: number): boolean;
  start(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The same for good: a restart that is under way starts nothing any more. */
  end(): Promise<unknown>;
  readLog(): Promise<InstanceLog>;
}

interface InstanceLog {
  /** Lines at the level of an error or worse, whichever process wrote them. */
  errors: string[];
  /** Full collections of the main threads since the last start, by process. */
  heap: Map<number, HeapPoint[]>;
}

const ERROR = 50;
const GC = /^\[(\d+):(0x[0-9a-f]+)\]\s+(\d+) ms: /;
const FULL = / Mark-Compact .*?[\d.]+ \([\d.]+\) -> ([\d.]+) \(/;

export function createInstance(name: string, port: number, environment: Record<string, string>, log: string): Instance {
  const service = createServiceProcess({
    port,
    environment,
    log,
    // The first one is that of `npm start`. With the second one V8 says after each full collection what is left.
    nodeArgs: ['--max-semi-space-size=8', '--trace-gc'],
    isReady: async (at) => (await directRequest(at, '/health/ready').catch(() => undefined))?.status === 200,
  });
  let over = false;
  let startedAt = 0;
  let startedFrom = 0;
  const instance: Instance = {
    name,
    port,
    get pid() {
      return service.pid;
    },
    get startedAt() {
      return startedAt;
    },
    logLength: service.logLength,
    logged: (text, from) => service.logged(from).includes(text),
    async start() {
      if (over) throw new Error(`the soak ends: ${name} is not started again`);
      [startedAt, startedFrom] = [performance.now(), service.logLength()];
      await service.start();
    },
    stop: () => service.kill('SIGTERM'),
    end: () => {
      over = true;
      return instance.stop();
    },
    readLog: async () => ({ errors: await errorsIn(log), heap: await heapIn(log, startedFrom) }),
  };
  return instance;
}

async function errorsIn(log: string): Promise<string[]> {
  const errors: string[] = [];
  for await (const line of createInterface({ input: createReadStream(log) })) {
    // An instance that ends is not ready, and the faulty edit is meant to be refused.
    if (/"path":"\/health\/ready"|the edit is refused/.test(line)) continue;
    const level = /"level":(\d+|"\w+")/.exec(line)?.[1] ?? '0';
    if (Number(level) >= ERROR || /"(error|fatal)"/.test(level)) errors.push(line.slice(0, 2000));
  }
  return errors;
}

async function heapIn(log: string, start: number): Promise<InstanceLog['heap']> {
  const heap: InstanceLog['heap'] = new Map();
  // The first isolate of a process is its main thread.
  const isolates = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(log, { start }) })) {
    const [, pid = '', isolate = '', at] = GC.exec(line) ?? [];
    if (at === undefined) continue;
    if (!isolates.has(pid)) isolates.set(pid, isolate);
    const megabytes = FULL.exec(line)?.[1];
    if (megabytes === undefined || isolates.get(pid) !== isolate) continue;
    const points = heap.get(Number(pid)) ?? [];
    heap.set(Number(pid), points);
    points.push({ at: Number(at) / 1000, megabytes: Number(megabytes) });
  }
  return heap;
}

/**
 * Keeps a port of an instance that is not there: the system would give it to any other process, and the proxy would send people there. Resolves with
 * what gives the port back.
 */
export async function keepPort(port: number): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return () => new Promise((resolve) => server.close(() => resolve()));
}
