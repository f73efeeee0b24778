// What a process and its children hold, from /proc: memory, file descriptors, threads.

import { readdirSync, readFileSync } from 'node:fs';
import { memoryOf } from '#tools/site/proc.ts';

export interface Held {
  /** MB of their own: without mapped files, which are the page cache's. */
  memory: number;
  descriptors: number;
  threads: number;
}

/** Of a process and all below it; children that end meanwhile are left out. */
export function heldBy(pid: number): Held {
  const held: Held = { memory: 0, descriptors: 0, threads: 0 };
  for (const one of [pid, ...descendants(pid)]) {
    const memory = memoryOf(one);
    if (!memory) continue;
    held.memory += memory.own;
    held.descriptors += count(`/proc/${one}/fd`);
    held.threads += count(`/proc/${one}/task`);
  }
  return held;
}

function descendants(pid: number): number[] {
  return tasks(pid).flatMap((task) => {
    const children = read(`/proc/${pid}/task/${task}/children`).trim().split(' ').filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...descendants(child)]);
  });
}

const tasks = (pid: number) => list(`/proc/${pid}/task`);
const count = (folder: string) => list(folder).length;

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
