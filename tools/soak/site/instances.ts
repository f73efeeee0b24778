// Starts and stops the two instances by their ids, and reads what they write: the log, and V8's lines about its collections.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '#tools/site/processes.ts';
import { directRequest } from './direct.ts';

export interface HeapPoint {
  /** Milliseconds of `performance.now()`. */
  at: number;
  /** MB that were in use after a full collection. */
  megabytes: number;
}

export interface Instance {
  readonly name: string;
  readonly port: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** When that process began, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** Full collections of the main threads of its processes since it began, by process. */
  readonly heap: ReadonlyMap<number, HeapPoint[]>;
  /** Lines of the log at the level of an error or worse, whichever process wrote them. */
  readonly errors: readonly string[];
  /** Whether a line of the log with this text was written since the given time (milliseconds of `performance.now()`). */
  logged(text: string, since: number): boolean;
  start(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The same, for good: a restart that is under way starts nothing any more. */
  end(): Promise<unknown>;
}

const ERROR = 50;
const KEPT_LINES = 4000;
const GC = /^\[(\d+):(0x[0-9a-f]+)\].*? Mark-Compact .*?[\d.]+ \([\d.]+\) -> ([\d.]+) \(/;
const GC_LINE = /^\[\d+:0x/;
/** Milliseconds that a start may take. */
const PATIENCE = 60_000;

export function createInstance(name: string, port: number, env: Record<string, string>, logFile?: string): Instance {
  let child: ChildProcess | undefined;
  let startedAt = 0;
  let over = false;
  let heap = new Map<number, HeapPoint[]>();
  let isolates = new Map<number, string>();
  const errors: string[] = [];
  const lines: { at: number; text: string }[] = [];

  const read = (text: string) => {
    if (logFile !== undefined && !GC_LINE.test(text)) appendFileSync(logFile, `${text}\n`);
    if (GC_LINE.test(text)) {
      const [, pid = '', isolate = '', megabytes] = GC.exec(text) ?? [];
      // The first isolate of a process is its main thread.
      const main = /^\[(\d+):(0x[0-9a-f]+)\]/.exec(text);
      if (main && !isolates.has(Number(main[1]))) isolates.set(Number(main[1]), main[2] ?? '');
      if (megabytes === undefined || isolates.get(Number(pid)) !== isolate) return;
      const points = heap.get(Number(pid)) ?? [];
      heap.set(Number(pid), points);
      points.push({ at: performance.now(), megabytes: Number(megabytes) });
      return;
    }
    lines.push({ at: performance.now(), text });
    if (lines.length > KEPT_LINES) lines.splice(0, KEPT_LINES / 2);
    // While it ends it is not ready; the faulty edit is meant to be refused.
    if (/"path":"\/health\/ready"|the edit is refused/.test(text)) return;
    const level = /"level":(\d+|"\w+")/.exec(text)?.[1] ?? '0';
    if (Number(level) >= ERROR || /"(error|fatal)"/.test(level)) errors.push(text.slice(0, 2000));
  };

  const instance: Instance = {
    name,
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    get startedAt() {
      return startedAt;
    },
    get heap() {
      return heap;
    },
    errors,
    logged: (text, since) => lines.some((line) => line.at >= since && line.text.includes(text)),
    async start() {
      if (over) throw new Error(`the soak ends: ${name} is not started again`);
      [heap, isolates, startedAt] = [new Map(), new Map(), performance.now()];
      // As `npm start` does it; V8 says after each full collection what is left.
      const args = ['--max-semi-space-size=16', '--trace-gc', 'src/launch.js', 'serve'];
      const own = spawn(process.execPath, args, {
        cwd: ROOT,
        env: { ...process.env, ...env, HYGIE_PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = own;
      let said = '';
      own.stderr.on('data', (text) => {
        said = `${said}${text}`.slice(-4000);
      });
      createInterface({ input: own.stdout }).on('line', read);
      for (const late = performance.now() + PATIENCE; ; ) {
        if (own.exitCode !== null || own.signalCode !== null || performance.now() > late) {
          const log = lines.slice(-20).map(({ text }) => text);
          throw new Error(`${name} does not start (${own.exitCode ?? own.signalCode}):\n${said}${log.join('\n')}`);
        }
        const answer = await directRequest(port, '/health/ready').catch(() => undefined);
        if (answer?.status === 200) return;
        await setTimeout(100);
      }
    },
    async stop() {
      const own = child;
      if (!own || own.exitCode !== null || own.signalCode !== null) return own?.exitCode ?? null;
      const ended = once(own, 'exit');
      own.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
    end: () => {
      over = true;
      return instance.stop();
    },
  };
  return instance;
}
