// Validates answers of directories for all test files that one process runs: in one thread, since it takes seconds to load the
// definitions of STU3, and each distinct answer once. Test files ask over a diagnostics channel, which is the same for all of them.

import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ValidationRequest } from './answer-worker.ts';
import type { ReceivedAnswer } from './received-answers.ts';

export const RECEIVED = 'hygie.received-answers';

/** What is published there. `resolve` gets one line for each error. */
export interface Received {
  answers: readonly ReceivedAnswer[];
  resolve(errors: string[]): void;
  reject(error: unknown): void;
}

const valid = new Set<string>();
let thread: Worker | undefined;

subscribe(RECEIVED, (message) => {
  const { answers, resolve, reject } = message as Received;
  validate(answers).then(resolve, reject);
});

async function validate(received: readonly ReceivedAnswer[]): Promise<string[]> {
  const distinct = new Map(
    received.filter(({ digest }) => !valid.has(digest)).map((answer) => [answer.digest, answer]),
  );
  if (distinct.size === 0) return [];
  const answers = [...distinct.values()];
  const errors = await errorsOf(answers);
  answers.forEach(({ digest }, index) => void (errors[index]?.length === 0 && valid.add(digest)));
  return answers.flatMap(({ request, status }, index) =>
    (errors[index] ?? []).map((error) => `${request} (${status}): ${error}`),
  );
}

/** The errors of each answer, in their order. */
async function errorsOf(answers: ReceivedAnswer[]): Promise<string[][]> {
  thread ??= new Worker(join(import.meta.dirname, 'answer-worker.ts'));
  thread.unref();
  const { port1, port2 } = new MessageChannel();
  const answered = once(port1, 'message');
  thread.postMessage({ answers, port: port2 } satisfies ValidationRequest, [port2]);
  const [errors] = (await answered) as [string[][]];
  port1.close();
  return errors;
}
