// Keeps what the processes of a test run were refused, each with its stack, in one file. It fails the run at its end (`closing-line.ts`).

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable that names the file. */
export const NOTES = 'TEST_REFUSALS';

// The first process of a run makes the file, and removes it at its end.
if (!process.env[NOTES]) {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-refusals-'));
  process.env[NOTES] = join(folder, 'refused');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** Notes a refusal. `stack` begins with the line of its error, which is left out. */
export function refuse(fault: string, stack: string): void {
  appendFileSync(process.env[NOTES] ?? '', `${fault}\n${stack.split('\n').slice(1, 15).join('\n')}\n\n`);
}

/** What was refused so far. */
export function refused(notes = process.env[NOTES] ?? ''): string[] {
  return existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n\n') : [];
}
