// What a test file changes while it is loaded is set back when it is over, by Jest's environment: a hook would not run where all
// tests of the file are skipped.

type Undo = () => void;

const UNDOS = Symbol.for('hygie.afterFile');
const shared = globalThis as { [UNDOS]?: Undo[] };

/** Called at the end of the test file, what was changed last first. In a process that runs no test file, never. */
export function afterFile(undo: Undo): void {
  shared[UNDOS]?.push(undo);
}

/** Before a test file. */
export function beginFile(): void {
  shared[UNDOS] = [];
}

/** After it. */
export function endFile(): void {
  for (const undo of shared[UNDOS]?.toReversed() ?? []) undo();
  delete shared[UNDOS];
}
