// Progress reports of long work on backups.

/** `done` is the share of this step, 0-1, undefined if it cannot be known. `count` is the number of items so far. */
export type OnProgress = (step: { name: string; done?: number; count: number; unit: string }) => void;
