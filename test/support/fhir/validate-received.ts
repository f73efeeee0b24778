// Set up in every test file: after each test, validates the answers of directories that it received; an invalid one fails it.

import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterAll, afterEach } from '@jest/globals';
import type { ValidationRequest } from './answer-worker.ts';
import { type ReceivedAnswer, takeReceived } from './received-answers.ts';

/** The first validation in a process loads the definitions of STU3; a property test receives thousands of answers. */
const VALIDATION_TIMEOUT = 120_000;

/** What all test files that run in one process share: its thread, and digests of answers that were found valid. */
interface Validation {
  worker: Worker;
  valid: Set<string>;
}

// This module is evaluated for each test file.
const shared = globalThis as { answerValidation?: Validation };

afterEach(validateReceived, VALIDATION_TIMEOUT);
// What hooks received after the last test.
afterAll(validateReceived, VALIDATION_TIMEOUT);

async function validateReceived(): Promise<void> {
  const received = takeReceived();
  if (received.length === 0) return;
  shared.answerValidation ??= startValidation();
  const { worker, valid } = shared.answerValidation;
  const distinct = new Map(
    received.filter(({ digest }) => !valid.has(digest)).map((answer) => [answer.digest, answer]),
  );
  if (distinct.size === 0) return;
  const answers = [...distinct.values()];
  const errors = await errorsOf(answers, worker);
  answers.forEach(({ digest }, index) => void (errors[index]?.length === 0 && valid.add(digest)));
  const lines = answers.flatMap(({ request, status }, index) =>
    (errors[index] ?? []).map((error) => `${request} (${status}): ${error}`),
  );
  if (lines.length > 0) throw new Error(`Answers that are not valid STU3:\n${lines.slice(0, 50).join('\n')}`);
}

function startValidation(): Validation {
  const worker = new Worker(join(import.meta.dirname, 'answer-worker.ts'));
  worker.unref();
  return { worker, valid: new Set() };
}

/** The errors of each answer, in their order. */
async function errorsOf(answers: ReceivedAnswer[], worker: Worker): Promise<string[][]> {
  const { port1, port2 } = new MessageChannel();
  const answered = once(port1, 'message');
  worker.postMessage({ answers, port: port2 } satisfies ValidationRequest, [port2]);
  const [errors] = (await answered) as [string[][]];
  port1.close();
  return errors;
}
