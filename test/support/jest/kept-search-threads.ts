// In the place of `src/search-index/threads/thread-handle.ts` while tests run (`native-modules.ts`): a thread whose service ended is
// given to the next one. To start one costs Node a quarter of what a whole service costs.

import { Worker } from 'node:worker_threads';
import type { Answer, SentJob } from '#search-index/threads/messages.ts';
import * as handle from '#search-index/threads/thread-handle.ts';

type Events = Parameters<typeof handle.startThread>[1];

interface Kept {
  checks: string | undefined;
  /** As Node has it, or as a test has replaced it. */
  made: typeof Worker;
  thread: handle.ThreadHandle;
  events: Events;
}

/** Numbers of snapshots and jobs that one owner of a thread gives at most: those of the next one follow. */
const NUMBERS = 1e9;
const idle: Kept[] = [];

function start(checks: string | undefined, events: Events): Kept {
  const kept: Kept = {
    checks,
    made: Worker,
    events,
    thread: handle.startThread(checks, {
      onAnswer: (answer) => kept.events.onAnswer(answer),
      onDeath: (error) => {
        if (idle.includes(kept)) idle.splice(idle.indexOf(kept), 1);
        else kept.events.onDeath(error);
      },
    }),
  };
  return kept;
}

let owners = 0;

export const startThread: typeof handle.startThread = (checks, { onAnswer, onDeath }) => {
  const base = (owners++ % 1e6) * NUMBERS;
  const running = new Set<number>();
  const open = new Set<number>();
  let dead = false;
  const events: Events = {
    onAnswer: ({ number, ...answer }) => {
      if (running.delete(number)) onAnswer({ number: number - base, ...answer } as Answer);
    },
    onDeath: (error) => {
      dead = true;
      onDeath(error);
    },
  };
  const at = idle.findIndex((one) => one.checks === checks && one.made === Worker);
  const kept = idle.splice(at, at < 0 ? 0 : 1)[0] ?? start(checks, events);
  kept.events = events;
  const { thread } = kept;
  return {
    run({ number, snapshot, call }: SentJob) {
      running.add(number + base);
      thread.run({ number: number + base, snapshot: snapshot + base, call });
    },
    tell(message) {
      if ('open' in message) {
        open.add(message.open + base);
        thread.tell({ ...message, open: message.open + base });
      } else if ('close' in message) {
        open.delete(message.close + base);
        thread.tell({ close: message.close + base });
      } else thread.tell({ abandon: message.abandon + base });
    },
    async end() {
      if (dead || running.size > 0) return thread.end();
      for (const one of open) thread.tell({ close: one });
      idle.push(kept);
    },
  };
};
