// Reporter: validates every answer of a directory that the run's tests received, once they have ended. A fault fails the run.
// Does not own the record (`answers.ts`) nor the validators (`validate.ts`).

import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAnswerValidator } from './answer-faults.ts';
import { ANSWERS, type RecordedAnswer } from './answers.ts';

interface Results {
  numFailedTests: number;
}

// Jest demands a class as the module's default export.
export default class EveryAnswer {
  private error: Error | undefined;

  async onRunComplete(_contexts: unknown, results: Results): Promise<void> {
    const folder = process.env[ANSWERS];
    if (folder === undefined || !existsSync(folder)) return;
    const validate = createAnswerValidator();
    let count = 0;
    const faults: string[] = [];
    for (const file of readdirSync(folder)) {
      for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
        const answer = JSON.parse(line) as RecordedAnswer;
        count++;
        for (const fault of validate(answer)) faults.push(`${answer.request} (${answer.status}): ${fault}`);
      }
    }
    if (count === 0) return;
    process.stdout.write(`\n${count} answers of the directory validated against STU3, ${faults.length} faults\n`);
    if (faults.length === 0) return;
    process.stdout.write(`${[...new Set(faults)].slice(0, 50).join('\n')}\n`);
    results.numFailedTests += 1;
    this.error = new Error('Answers of the directory are not valid STU3.');
  }

  getLastError(): Error | undefined {
    return this.error;
  }
}
