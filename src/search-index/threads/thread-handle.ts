// Starts a search thread, and sends it jobs for the pool. All calls of one turn of the event loop go to the thread in one message, because
// a message costs more than its content (README, "Threads").

import { Worker } from 'node:worker_threads';
import type { Answer, FromThread, SentJob, ThreadStart, ToThread } from './messages.ts';

/** Megabytes of the young generation of a thread's heap. Most objects of a search are needed only for a moment, so they are freed there. */
const YOUNG = 16;
/** Milliseconds within which a thread should end by itself. After this time, it is terminated. */
const END_WITHIN = 2000;

export interface ThreadHandle {
  run(job: SentJob): void;
  send(message: Exclude<ToThread, 'end' | { jobs: unknown }>): void;
  /** Closes all open snapshots, and ends the thread. */
  end(): Promise<void>;
}

interface ThreadEvents {
  onAnswer(answer: Answer): void;
  /** Called once when the thread has died. It is not called if the pool ended the thread. */
  onDeath(error: Error): void;
}

/**
 * Starts a thread.
 * @param checks address of a module, see `ThreadStart`
 */
export function startThread(checks: string | undefined, { onAnswer, onDeath }: ThreadEvents): ThreadHandle {
  const worker = new Worker(new URL('./search-thread.ts', import.meta.url), {
    workerData: { checks } satisfies ThreadStart,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  let cause: Error | undefined;
  let ending = false;
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void ended.then(() => {
    if (!ending) onDeath(cause ?? new Error('it ended without an error'));
  });
  worker.on('message', (answers: FromThread) => {
    for (const answer of answers) onAnswer(answer);
  });
  // Without `unref`, the thread would keep a process running that has nothing else to do. `unref` is called after the listeners are added,
  // because adding the first listener for messages undoes it.
  worker.unref();

  let waiting: SentJob[] = [];
  const sendJobs = () => {
    worker.postMessage({ jobs: waiting } satisfies ToThread);
    waiting = [];
  };
  return {
    run(job) {
      if (waiting.length === 0) setImmediate(sendJobs);
      waiting.push(job);
    },
    send: (message) => worker.postMessage(message),
    async end() {
      ending = true;
      worker.postMessage('end' satisfies ToThread);
      const late = setTimeout(() => void worker.terminate(), END_WITHIN);
      await ended;
      clearTimeout(late);
    },
  };
}
