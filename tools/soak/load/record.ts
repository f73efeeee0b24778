// Counts what was done: operations by kind with their times, and every failure that a client would have noticed.

export interface Failure {
  /** Seconds since the load began. */
  at: number;
  kind: string;
  message: string;
}

export interface KindRow {
  kind: string;
  count: number;
  failures: number;
  /** Milliseconds, of those that did not fail. */
  p50: number;
  p95: number;
  p99: number;
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder() {
  const began = performance.now();
  const kinds = new Map<string, { times: number[]; failures: number }>();
  const failures: Failure[] = [];
  const kindOf = (kind: string) => {
    const known = kinds.get(kind) ?? { times: [], failures: 0 };
    kinds.set(kind, known);
    return known;
  };
  const seconds = () => (performance.now() - began) / 1000;
  const failed = (kind: string, error: unknown) => {
    kindOf(kind).failures += 1;
    failures.push({
      at: seconds(),
      kind,
      message: (error instanceof Error ? error.message : String(error)).slice(0, 600),
    });
  };
  const done = (kind: string, milliseconds: number) => void kindOf(kind).times.push(milliseconds);
  return {
    /** Milliseconds of `performance.now()`. */
    began,
    /** Runs one operation; a rejection is a failure that a client noticed. Never rejects. */
    async run(kind: string, work: () => Promise<unknown>): Promise<void> {
      const started = performance.now();
      try {
        await work();
        done(kind, performance.now() - started);
      } catch (error) {
        failed(kind, error);
      }
    },
    done,
    failed,
    seconds,
    failures: (): readonly Failure[] => failures,
    rows: (): KindRow[] =>
      [...kinds].map(([kind, { times, failures: lost }]) => {
        const sorted = times.toSorted((one, other) => one - other);
        const at = (share: number) =>
          sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
        return { kind, count: sorted.length + lost, failures: lost, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
      }),
  };
}

/** Fails unless both are the same as JSON; `what` says what is compared. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${what}: ${is?.slice(0, 300)} instead of ${wanted?.slice(0, 300)}`);
}

/** Fails unless it holds. */
export function holds(condition: boolean, what: string | (() => string)): asserts condition {
  if (!condition) throw new Error(typeof what === 'string' ? what : what());
}
