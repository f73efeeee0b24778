// Calculates how much memory a file may take in the system's page cache without displacing other data that is in use.

import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Reads a text file. Returns an empty text if that fails. */
type ReadText = (file: string) => string;

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Bytes of memory that files may take. This is the available memory of the machine (Linux: MemAvailable, which includes memory of files).
 * If the process has a control group with a limit, such as a container, the limit applies too, less what the group uses for other purposes.
 */
export function availableMemory(read: ReadText = readText): number {
  const machine = /^MemAvailable:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1];
  const available = machine === undefined ? freemem() : Number(machine) * 1024;
  return Math.min(available, ...groupsOf(read('/proc/self/cgroup')).map((group) => leftIn(group, read)));
}

/** The folder of a control group, and the names of its files in version 2 or 1 (docs.kernel.org, cgroup-v2 and memcg). */
interface Group {
  folder: string;
  limit: string;
  usage: string;
  files: RegExp;
}

function groupsOf(own: string): Group[] {
  const v2 = { limit: 'memory.max', usage: 'memory.current', files: /^(?:in)?active_file (\d+)$/gm };
  const v1 = {
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    files: /^total_(?:in)?active_file (\d+)$/gm,
  };
  const [, unified = '/'] = /^0::(\/.*)$/m.exec(own) ?? [];
  const [, memory = '/'] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(own) ?? [];
  // Both paths are tried, because in a container its group is at the root, whatever the name of the group is outside.
  return [
    ...['/', unified].map((path) => ({ ...v2, folder: join('/sys/fs/cgroup', path) })),
    ...['/', memory].map((path) => ({ ...v1, folder: join('/sys/fs/cgroup/memory', path) })),
  ];
}

function leftIn({ folder, limit, usage, files }: Group, read: ReadText): number {
  const most = Number.parseInt(read(join(folder, limit)), 10);
  const used = Number.parseInt(read(join(folder, usage)), 10);
  if (Number.isNaN(most) || Number.isNaN(used)) return Number.POSITIVE_INFINITY;
  let ofFiles = 0;
  for (const [, bytes] of read(join(folder, 'memory.stat')).matchAll(files)) ofFiles += Number(bytes);
  return Math.max(0, most - Math.max(0, used - ofFiles));
}
