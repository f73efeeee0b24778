// Memory and processor time of a running process, from /proc; elsewhere than on Linux they are left out of the figures.

import { readFileSync } from 'node:fs';

export interface Memory {
  /** MB of the process's own, which the page cache is no part of. */
  own: number;
  /** MB of mapped files in memory: the page cache, shared. */
  files: number;
  /** MB at the highest, both together, since the process began. */
  peak: number;
}

/** Clock ticks per second of /proc/PID/stat: 100 on every architecture that Node runs on. */
const TICKS = 100;

/** Memory of a process now; `undefined` when it has ended, or where there is no /proc. */
export function memoryOf(pid: number): Memory | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const of = (name: string) =>
    Number(status.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1] ?? Number.NaN) / 1024;
  const peak = of('VmHWM');
  return Number.isNaN(peak) ? undefined : { own: of('RssAnon'), files: of('RssFile') + of('RssShmem'), peak };
}

/** Seconds of processor time that a process has used on all its threads; `NaN` where it cannot be known. */
export function processorSeconds(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may hold blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS : Number.NaN;
}

/** Looks at a process every `everyMs` until stopped: its peaks, up to `everyMs` before its end. */
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

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
