// How far long work is. Commands show it (`cli/support/progress.ts`).

/** `done` is the share of this step, 0-1, undefined if it cannot be known. `count` is the number of items so far. */
export interface Step {
  name: string;
  done?: number;
  count: number;
  unit: string;
}

export type OnProgress = (step: Step) => void;

/** A step that has read so many bytes, and nobody knows of how many. */
export function bytesRead(name: string, bytes: number): Step {
  return { name, count: Math.round(bytes / 2 ** 20), unit: 'MiB' };
}

/** A step that has done this share of so many bytes. */
export function bytesDone(name: string, done: number, total: number): Step {
  return { ...bytesRead(name, done * total), done };
}
