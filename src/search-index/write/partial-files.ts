// The files of a snapshot that is not finished: their names, who is writing them, and the removal of what killed runs left
// behind.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ENDING = '.unfinished';
const OWNER = '.owner';

/** The file in which a snapshot is made; everything else about it begins with this name. */
export function partialFile(finished: string): string {
  return finished + ENDING;
}

/** Unfinished files that this process is writing. */
const ours = new Set<string>();

/**
 * Records who writes the file, so that a leftover of a killed run is told from an import under way. Throws when another import
 * is writing it.
 */
export function claim(file: string): void {
  if (isBeingWritten(file)) throw new Error(`${file} is being written by another import`);
  removeAll(dirname(file), basename(file));
  ours.add(file);
  writeFileSync(file + OWNER, String(process.pid));
}

function isBeingWritten(file: string): boolean {
  if (ours.has(file)) return true;
  if (!existsSync(file + OWNER)) return false;
  const pid = Number(readFileSync(file + OWNER, 'utf8'));
  // In a fresh container an earlier run may have had our own number.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes what killed runs left in the folder; imports under way stay untouched. Returns the names of the snapshots. */
export function removePartialFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.includes(`.sqlite${ENDING}`));
  const begun = new Set(names.map((name) => name.slice(0, name.indexOf(ENDING) + ENDING.length)));
  const dead = [...begun].filter((name) => !isBeingWritten(join(folder, name)));
  for (const name of dead) removeAll(folder, name);
  return dead.map((name) => name.slice(0, -`.sqlite${ENDING}`.length));
}

function removeAll(folder: string, beginning: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(beginning)) rmSync(join(folder, name), { force: true });
}

/** The file is finished, or gone. */
export function release(file: string): void {
  ours.delete(file);
  rmSync(file + OWNER, { force: true });
}

/** Removes everything about an unfinished file of this process. */
export function removePartialFile(file: string): void {
  removeAll(dirname(file), basename(file));
  release(file);
}
