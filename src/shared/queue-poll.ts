// Looks into a queue every second, and at once when it is woken; never twice at a time.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds between two looks. */
const LOOK_EVERY = 1000;

interface QueuePollOptions {
  /** Takes what is due and begins with it. */
  take(): Promise<void>;
  /** Whether there is room for more. */
  ready(): boolean;
  /** A look failed; told once, not every second, until one succeeds. */
  failed(error: unknown): void;
}

export interface QueuePoll {
  /** Looks now instead of within a second. */
  wake(): void;
  /** Resolves once the look that is under way is over; there is no other one. */
  close(): Promise<void>;
}

/** Looks until closed. */
export function startQueuePoll({ take, ready, failed }: QueuePollOptions): QueuePoll {
  let closed = false;
  let failing = false;
  let looking: Promise<void> | undefined;
  let again = false;
  // Never as a part of the request that woke it: what it finds is of others, too.
  const look = AsyncLocalStorage.bind(async () => {
    try {
      await take();
      failing = false;
    } catch (error) {
      if (!failing) failed(error);
      failing = true;
    }
  });
  const wake = () => {
    if (closed || !ready()) return;
    // What came while it looked may have come too late for that look.
    again = looking !== undefined;
    looking ??= look().finally(() => {
      looking = undefined;
      if (again) wake();
    });
  };
  const timer = setInterval(wake, LOOK_EVERY);
  timer.unref();
  return {
    wake,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await looking;
    },
  };
}
