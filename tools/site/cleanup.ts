// Undoes what a tool has started when it ends, however it ends: stops processes by their ids, removes folders.

type Undo = () => Promise<unknown> | unknown;

export interface Cleanup {
  /** Adds a step; the last one added is the first one done. Returns a function that does it earlier. */
  later(undo: Undo): () => Promise<void>;
  all(): Promise<void>;
  /** Listens for interruptions again, after something was started that listens for them, too. */
  onSignals(): void;
}

/** Steps that are done once each. An interruption (Ctrl+C, SIGTERM) does them all and ends the process. */
export function createCleanup(): Cleanup {
  const steps: Undo[] = [];
  const all = async () => {
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        process.stderr.write(`could not clear up: ${(error as Error).message}\n`);
      }
    }
  };
  const onSignals = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // The embedded PostgreSQL would end the process before all is undone.
      process.removeAllListeners(signal);
      process.once(signal, () => {
        all().finally(() => process.exit(130));
      });
    }
  };
  onSignals();
  return {
    onSignals,
    later(undo) {
      steps.push(undo);
      return async () => {
        const at = steps.indexOf(undo);
        if (at < 0) return;
        steps.splice(at, 1);
        await undo();
      };
    },
    all,
  };
}
