// A thread that searches: it opens snapshots for itself and answers calls upon them. Several run at a time, each for a few
// milliseconds in turn (`read/yield-event-loop.ts`); what is answered in one turn of the event loop goes back as one message.

import { parentPort, workerData } from 'node:worker_threads';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { ResourceChecks, Snapshot } from '#search-index/snapshot.ts';
import type { Answer, Description, FromThread, SentError, SentJob, ThreadStart, ToThread } from './messages.ts';

if (parentPort === null) throw new Error('this file runs as a thread of the search index');
const port = parentPort;

/** Milliseconds for which answers wait for others of the same turn. */
const TOGETHER = 2;

const { checks: module } = workerData as ThreadStart;
const checks = module === undefined ? {} : ((await import(module)) as { checks: ResourceChecks }).checks;
const opened = new Map<number, Promise<Snapshot>>();
const abandoned = new Set<number>();
const running = new Set<number>();

class NotOpen extends Error {}

async function perform({ number, snapshot: of, call }: SentJob): Promise<unknown> {
  const snapshot = await opened.get(of)?.catch((error: Error) => {
    throw new NotOpen(error.message, { cause: error });
  });
  if (!snapshot) throw new NotOpen(`the snapshot ${of} is not open`);
  switch (call.method) {
    case 'search':
      return snapshot.search(call.arguments[0], { abandoned: () => abandoned.has(number) });
    case 'read':
      return snapshot.read(...call.arguments);
    case 'gone':
      return snapshot.gone(...call.arguments);
    case 'scan':
      return snapshot.scan(...call.arguments);
    case 'listGone':
      return snapshot.listGone(...call.arguments);
    case 'describe': {
      const [counts, history] = await Promise.all([snapshot.counts(), snapshot.history()]);
      return { id: snapshot.id, counts, history } satisfies Description;
    }
  }
}

let answers: Answer[] = [];
let since = 0;

function answer(one: Answer): void {
  if (answers.length === 0) {
    since = performance.now();
    setImmediate(send);
  }
  answers.push(one);
  if (performance.now() - since > TOGETHER) send();
}

function send(): void {
  if (answers.length === 0) return;
  port.postMessage(answers satisfies FromThread);
  answers = [];
}

async function run(job: SentJob): Promise<void> {
  const { number } = job;
  running.add(number);
  try {
    answer({ number, value: await perform(job) });
  } catch (error) {
    answer({ number, error: sent(error) });
  } finally {
    running.delete(number);
    abandoned.delete(number);
  }
}

function sent(error: unknown): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, notOpen: error instanceof NotOpen };
}

async function close(number: number): Promise<void> {
  const snapshot = await opened.get(number)?.catch(() => undefined);
  opened.delete(number);
  await snapshot?.close();
}

port.on('message', (message: ToThread) => {
  if (message === 'end') void Promise.all([...opened.keys()].map(close)).then(() => port.close());
  else if ('jobs' in message) for (const job of message.jobs) void run(job);
  else if ('abandon' in message) {
    if (running.has(message.abandon)) abandoned.add(message.abandon);
  } else if ('close' in message) void close(message.close);
  else {
    const opening = openSnapshot(message.file, checks);
    // Each call upon it is told.
    opening.catch(() => {});
    opened.set(message.open, opening);
  }
});
