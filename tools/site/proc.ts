// Memory, processor time and handles of running processes, from /proc; elsewhere than on Linux they are left out of the figures.

import { readdirSync, readFileSync } from 'node:fs';

export interface Memory {
  /** MB of the process's own, without the page cache. */
  own: number;
  /** MB of mapped files in memory: the page cache, which is shared. */
  files: number;
  /** The highest sum of both since the process began, in MB. */
  peak: number;
}

/** MB in memory of a process and of all below it; `pss` divides what processes share among them. */
export interface Resident {
  rss: number;
  pss: number;
}

/** Clock ticks per second of /proc/PID/stat: 100 on every architecture that Node runs on. */
const TICKS = 100;

/** Memory of a process now; `undefined` when it has ended, or where there is no /proc. */
export function memoryOf(pid: number): Memory | undefined {
  const status = read(`/proc/${pid}/status`);
  const of = (name: string) =>
    Number(status.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1] ?? Number.NaN) / 1024;
  const peak = of('VmHWM');
  return Number.isNaN(peak) ? undefined : { own: of('RssAnon'), files: of('RssFile') + of('RssShmem'), peak };
}

/** Seconds of processor time that a process has used on all its threads; `NaN` where it cannot be known. */
export function processorSeconds(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Looks at a process every `everyMs` until it is stopped; returns the highest values that were seen. */
export function watchProcess(pid: number, everyMs = 50) {
  const seen = { peak: 0, own: 0, processor: Number.NaN };
  const look = () => {
    const memory = memoryOf(pid);
    if (!memory) return;
    seen.peak = Math.max(seen.peak, memory.peak);
    seen.own = Math.max(seen.own, memory.own);
    seen.processor = processorSeconds(pid);
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return seen;
    },
  };
}

/** Memory (MB of its own), file descriptors and threads of a process and of all below it. */
export function heldBy(pid: number): { memory: number; descriptors: number; threads: number } {
  const held = { memory: 0, descriptors: 0, threads: 0 };
  for (const one of [pid, ...descendants(pid)]) {
    const memory = memoryOf(one);
    if (!memory) continue;
    held.memory += memory.own;
    held.descriptors += list(`/proc/${one}/fd`).length;
    held.threads += list(`/proc/${one}/task`).length;
  }
  return held;
}

/** Memory now; all 0 where there is no /proc. */
export function residentOf(pid: number): Resident {
  const all = [pid, ...descendants(pid)].map((one) => read(`/proc/${one}/smaps_rollup`));
  const sum = (name: string) =>
    all.reduce((mb, text) => mb + Number(text.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) / 1024, 0);
  return { rss: sum('Rss'), pss: sum('Pss') };
}

/** Ids of the processes that a process has started. */
export function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`).trim().split(' ').filter(Boolean).map(Number),
  );
}

const descendants = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
