// Reporter: validates every answer of a directory that the run's tests received, once they have ended. A fault fails the run.
// Does not own the record (`answers.ts`) nor how it is validated (`every-answer-thread.ts`).

import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ANSWERS } from './answers.ts';
import type { Verdict } from './every-answer-thread.ts';

interface Results {
  numFailedTests: number;
}

// Jest demands a class as the module's default export.
export default class EveryAnswer {
  private error: Error | undefined;

  async onRunComplete(_contexts: unknown, results: Results): Promise<void> {
    const folder = process.env[ANSWERS];
    if (folder === undefined || !existsSync(folder)) return;
    // A file of each process that ran tests, so that as many threads have as much to do.
    const verdicts = await Promise.all(readdirSync(folder).map((file) => validated(join(folder, file))));
    const count = verdicts.reduce((sum, verdict) => sum + verdict.count, 0);
    const faults = verdicts.flatMap((verdict) => verdict.faults);
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

async function validated(file: string): Promise<Verdict> {
  const thread = new Worker(join(import.meta.dirname, 'every-answer-thread.ts'), { workerData: file });
  const silent = once(thread, 'exit').then(() => Promise.reject(new Error(`no verdict on the answers in ${file}`)));
  const [verdict] = (await Promise.race([once(thread, 'message'), silent])) as [Verdict];
  return verdict;
}
