// Messages for the operator: errors, notices on standard error, and commands as they can be copied and run at this installation.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printableLines } from './log/printable.ts';

/** Thrown when the command line is wrong. The exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Thrown when the command line is right, but its request is refused. The error has every reason of the refusal. The exit code is 1. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reasons: readonly string[];

  constructor(reasons: string | readonly string[]) {
    const all = typeof reasons === 'string' ? [reasons] : reasons;
    super(all.join('\n'));
    this.reasons = all;
  }
}

/** Prints a sentence on standard error, because standard output carries data and the log. */
export function printNotice(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}

/** Writes a number with its noun: `counted(1, 'session')` is `1 session`, `counted(2, 'session')` is `2 sessions`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const HERE = 'src/launch.js';
const LAUNCH = fileURLToPath(new URL('../launch.js', import.meta.url));

/** The beginning of command lines as the documents write them. */
const BY_NPM = 'npm run -s hygie --';

/**
 * Returns a command line that an operator can copy. In a process that an npm script of this package has started, `hygie('keys list')` is
 * `npm run -s hygie -- keys list`. In other processes it is `node src/launch.js keys list`, because npm may be missing; the path is
 * absolute unless the current folder is Hygie's.
 *
 * If the variable `HYGIE_COMMAND` is set, its text replaces all that stands before `keys list`. The container and the systemd unit set it
 * to their program `hygie`. For commands from outside the container, it may be `docker exec NAME hygie`.
 *
 * As a template tag, the function quotes each inserted value for the shell. If a value is a list, it quotes each text of the list.
 */
export function hygie(words: string | TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const own = process.env['HYGIE_COMMAND']?.trim();
  const program = own || (process.env['npm_package_json'] === PACKAGE ? BY_NPM : `node ${shellWord(launchFile())}`);
  if (typeof words === 'string') return `${program} ${words}`;
  return `${program} ${String.raw({ raw: words }, ...values.map((value) => [value].flat().map(shellWord).join(' ')))}`;
}

/** Returns the text as one shell word. It is quoted if it holds characters that the shell would interpret. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Returns the relative path if the current folder is Hygie's, otherwise the absolute one.
function launchFile(): string {
  return relative(process.cwd(), LAUNCH) === HERE ? HERE : LAUNCH;
}
