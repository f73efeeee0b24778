// Owns the thread that validates what one process of the run recorded. Does not own the record (`answers.ts`), the verdict on
// one answer (`answer-faults.ts`), nor what becomes of faults (`every-answer.ts`).

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parentPort, workerData } from 'node:worker_threads';
import { createAnswerValidator } from './answer-faults.ts';
import type { RecordedAnswer } from './answers.ts';

export interface Verdict {
  /** Answers that were validated. */
  count: number;
  faults: string[];
}

const validate = createAnswerValidator();
const verdict: Verdict = { count: 0, faults: [] };
for await (const line of createInterface({ input: createReadStream(workerData as string) })) {
  const answer = JSON.parse(line) as RecordedAnswer;
  verdict.count++;
  for (const fault of validate(answer)) verdict.faults.push(`${answer.request} (${answer.status}): ${fault}`);
}
parentPort?.postMessage(verdict);
