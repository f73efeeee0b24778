// Set up in every test file: after each test, validates the answers of directories that it received; an invalid one fails it.

import { channel } from 'node:diagnostics_channel';
import { afterAll, afterEach } from '@jest/globals';
import type { RECEIVED, Received } from './answer-validation.ts';
import { takeReceived } from './received-answers.ts';

/** The first validation in a process loads the definitions of STU3; a property test receives thousands of answers. */
const VALIDATION_TIMEOUT = 120_000;
const name: typeof RECEIVED = 'hygie.received-answers';

afterEach(validateReceived, VALIDATION_TIMEOUT);
// What hooks received after the last test.
afterAll(validateReceived, VALIDATION_TIMEOUT);

async function validateReceived(): Promise<void> {
  const answers = takeReceived();
  if (answers.length === 0) return;
  const errors = await new Promise<string[]>((resolve, reject) =>
    channel(name).publish({ answers, resolve, reject } satisfies Received),
  );
  if (errors.length > 0) throw new Error(`Answers that are not valid STU3:\n${errors.slice(0, 50).join('\n')}`);
}
