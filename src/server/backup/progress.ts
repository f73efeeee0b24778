// What long work on backups says of how far it is.

/** `done`: share of this step, 0-1, absent where it cannot be known; `count`: items so far. */
export type OnProgress = (step: { name: string; done?: number; count: number; unit: string }) => void;
