// A small file system in memory that can be filled and freed, to make a full disk. Mounting it needs root.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Room {
  folder: string;
  /** Whether it is a file system of its own; else it cannot be filled. */
  own: boolean;
  /** Takes all that is free, or so many bytes. */
  fill(bytes?: number): void;
  free(): void;
  remove(): void;
}

export function makeRoom(folder: string, megabytes: number): Room {
  mkdirSync(folder, { recursive: true });
  const own = mount(folder, megabytes);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    own,
    fill: (bytes = Number.POSITIVE_INFINITY) => {
      if (!own) throw new Error('not on a file system of its own: run it as root');
      const file = openSync(ballast, 'a');
      let taken = 0;
      for (const size of [65_536, 4096, 512]) {
        const block = Buffer.alloc(size, 1);
        try {
          while (taken < bytes) taken += writeSync(file, block);
        } catch {
          // Full for blocks of that size.
        }
      }
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      if (own) execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mount(folder: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
