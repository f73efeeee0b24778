// The progress of long work. Commands show it (`cli/support/progress.ts`).

/** `done` is the finished share of this step, 0-1; absent if it cannot be known. `count` is the number of items so far. */
export interface Step {
  name: string;
  done?: number;
  count: number;
  unit: string;
}

export type OnProgress = (step: Step) => void;

/** Returns a step that has read so many bytes of an unknown number. */
export function bytesRead(name: string, bytes: number): Step {
  return { name, count: Math.round(bytes / 2 ** 20), unit: 'MiB' };
}

/** Returns a step that has finished this share (`done`) of `total` bytes. */
export function bytesDone(name: string, done: number, total: number): Step {
  return { ...bytesRead(name, done * total), done };
}
