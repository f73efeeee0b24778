// The configuration as it is shipped. Operators edit the files of `config/` where they stand, as the README says: the suite has a
// copy of its own, which `npm run schemas` writes, and never opens theirs.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files that operators edit. */
export const EDITED = ['service.yaml', 'clients.yaml'] as const;

/** The folder of the copies, without schemas. */
export const SHIPPED_CONFIG = fileURLToPath(new URL('../../fixtures/config', import.meta.url));

/** The folder that an installation from a checkout has. */
export const CONFIG = fileURLToPath(new URL('../../../config', import.meta.url));

/** The text of a file of `config/` as it is shipped. */
export function shipped(name: string): string {
  const isEdited = EDITED.some((edited) => edited === name);
  return readFileSync(join(isEdited ? SHIPPED_CONFIG : CONFIG, name), 'utf8');
}

/** The whole of `config/` as it is shipped, in a new folder. */
export function copyShippedConfig(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync(CONFIG)) writeFileSync(join(folder, name), shipped(name));
}

/** One commented example of a shipped file: the lines that belong together, from the one at that index. */
export interface Example {
  first: number;
  last: number;
}

/** The examples of a file: whatever stands directly behind a "#", or is a comment within it. */
export function examplesOf(text: string): Example[] {
  const lines = text.split('\n');
  const begins = lines.flatMap((line, at) => (/^ *#( {2}- )?[a-zA-Z]+:/.test(line) ? [at] : []));
  return begins.map((first) => {
    const [before = ''] = /^ *#( {2}(?=- ))?/.exec(lines[first] ?? '') ?? [];
    const inner = lines.slice(first + 1).findIndex((line) => !line.startsWith(`${before}  `));
    return { first, last: first + inner };
  });
}

/** The file with these examples in force, as an operator does it: the "#" taken away from their lines. */
export function uncommented(text: string, examples = examplesOf(text)): string {
  const within = (at: number) => examples.some(({ first, last }) => at >= first && at <= last);
  return text
    .split('\n')
    .map((line, at) => (within(at) ? line.replace('#', '') : line))
    .join('\n');
}

/** The file with all examples in force, and with what is a comment within them because it depends on something else. */
export function withEveryKey(text: string): string {
  return uncommented(text).replaceAll(/^( +)# ([a-zA-Z]+: )/gm, '$1$2');
}
