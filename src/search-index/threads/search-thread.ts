// A search thread. It opens snapshots for itself and answers calls on them. Several calls run at the same time, each for a few milliseconds
// in turn (`read/yield-event-loop.ts`). All answers of one turn of the event loop go back in one message.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { ResourceChecks, Snapshot } from '#search-index/snapshot.ts';
import {
  type Answer,
  describe,
  type FromThread,
  type SentError,
  type SentJob,
  type ThreadStart,
  type ToThread,
} from './messages.ts';

/**
 * Answers that become ready in one turn of the event loop are sent together, at its end. If the turn takes more than this number of
 * milliseconds from its first answer on, the answers so far are sent at once.
 */
const TOGETHER = 2;

class NotOpen extends Error {}

function answerSearches(port: MessagePort, checks: Partial<ResourceChecks>): void {
  const opened = new Map<number, Promise<Snapshot>>();
  const abandoned = new Set<number>();
  const running = new Set<number>();
  const answer = createAnswers(port);

  const perform = async ({ number, snapshot: of, call }: SentJob): Promise<unknown> => {
    const snapshot = await opened.get(of)?.catch((error: Error) => {
      throw new NotOpen(error.message, { cause: error });
    });
    if (!snapshot) throw new NotOpen(`the snapshot ${of} is not open`);
    if (call.method === 'search') return snapshot.search(call.arguments[0], { abandoned: () => abandoned.has(number) });
    if (call.method === 'describe') return describe(snapshot);
    const method = snapshot[call.method] as (...asked: readonly unknown[]) => Promise<unknown>;
    return method(...call.arguments);
  };

  const run = async (job: SentJob): Promise<void> => {
    const { number } = job;
    running.add(number);
    try {
      answer({ number, value: await perform(job) });
    } catch (error) {
      answer({ number, error: sentError(error) });
    } finally {
      running.delete(number);
      abandoned.delete(number);
    }
  };

  const close = async (number: number): Promise<void> => {
    const snapshot = await opened.get(number)?.catch(() => undefined);
    opened.delete(number);
    await snapshot?.close();
  };

  port.on('message', (message: ToThread) => {
    if (message === 'end') void Promise.all([...opened.keys()].map(close)).then(() => port.close());
    else if ('jobs' in message) for (const job of message.jobs) void run(job);
    else if ('abandon' in message) {
      if (running.has(message.abandon)) abandoned.add(message.abandon);
    } else if ('close' in message) void close(message.close);
    else {
      const opening = openSnapshot(message.file, checks);
      // The error is not lost, because each call on this snapshot rejects with it.
      opening.catch(() => {});
      opened.set(message.open, opening);
    }
  });
}

/** Collects the answers of one turn of the event loop, and sends them in one message. */
function createAnswers(port: MessagePort): (answer: Answer) => void {
  let answers: Answer[] = [];
  let since = 0;
  const send = () => {
    if (answers.length === 0) return;
    port.postMessage(answers satisfies FromThread);
    answers = [];
  };
  return (answer) => {
    if (answers.length === 0) {
      since = performance.now();
      setImmediate(send);
    }
    answers.push(answer);
    if (performance.now() - since > TOGETHER) send();
  };
}

function sentError(error: unknown): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, notOpen: error instanceof NotOpen };
}

if (parentPort === null) throw new Error('this file runs as a thread of the search index');
const { checks: module } = workerData as ThreadStart;
answerSearches(parentPort, module === undefined ? {} : ((await import(module)) as { checks: ResourceChecks }).checks);
