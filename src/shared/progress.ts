// The progress of long work. Commands show it (`cli/support/progress.ts`).

/** A step of the work. `done` is its finished share, 0-1; absent if the total is unknown. `count` is the number of items so far. */
export interface Step {
  name: string;
  done?: number;
  count: number;
  unit: string;
}

export type OnProgress = (step: Step) => void;

/** Returns the progress of a step that has read this number of bytes, while the total is unknown. */
export function bytesRead(name: string, bytes: number): Step {
  return { name, count: Math.round(bytes / 2 ** 20), unit: 'MiB' };
}

/** Returns the progress of a step that has finished the fraction `done` (0 to 1) of `total` bytes. */
export function bytesDone(name: string, done: number, total: number): Step {
  return { ...bytesRead(name, done * total), done };
}
