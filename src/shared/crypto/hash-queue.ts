// Owns who waits for a slow hash: a few run at once, a bounded number waits, the rest is turned away at once.
// Does not own the hashes (`secret-hash.ts`) nor what those who are turned away are told.

/** So many hashes are being waited for that another one would not be answered in good time: nothing was tried. */
export class TooManyHashes extends Error {
  constructor(subject: string) {
    super(`too many ${subject} are being checked at once; this one was not looked at: try again in a few seconds`);
    this.name = 'TooManyHashes';
  }
}

export interface HashQueue {
  /** Runs the work when its turn comes. Throws `TooManyHashes`, without having begun, when too many wait already. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same for those who are known: they wait however long it takes. */
  runInAnyCase<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A queue in the order of arrival; `subject` (plural) names in errors what is hashed. */
export function createHashQueue(subject: string, limits: { atOnce: number; waiting: number }): HashQueue {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= limits.atOnce) await new Promise<void>((proceed) => waiting.push(proceed));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place passes straight to the next one waiting, so that no newcomer slips in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    run: async (work) => {
      if (running >= limits.atOnce && waiting.length >= limits.waiting) throw new TooManyHashes(subject);
      return inTurn(work);
    },
    runInAnyCase: inTurn,
  };
}
