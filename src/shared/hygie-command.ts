// How an operator runs a command at this installation: every message that names one names it so that it can be copied.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const HERE = 'src/launch.js';
const LAUNCH = fileURLToPath(new URL('../launch.js', import.meta.url));

/** As documents have it. */
const BY_NPM = 'npm run -s hygie --';

/**
 * A command line: `hygie('keys list')` is `npm run -s hygie -- keys list` in a process that a script of this package's has started.
 * Elsewhere (a unit, say) npm may not be there, and it is `node src/launch.js keys list`, with the whole path where another folder
 * is the present one. `HYGIE_COMMAND` says otherwise: the container has a program of that name, and an operator may run it from outside
 * (`docker exec NAME hygie`).
 */
export function hygie(words: string): string {
  const own = process.env['HYGIE_COMMAND']?.trim();
  return `${own || (process.env['npm_package_json'] === PACKAGE ? BY_NPM : `node ${launchFile()}`)} ${words}`;
}

// As it is written in Hygie's folder, or so that it works from everywhere.
function launchFile(): string {
  return relative(process.cwd(), LAUNCH) === HERE ? HERE : LAUNCH;
}

/** The examples of a command's help, each with what it is for; an example begins with the words behind `hygie`. */
export function examples(...list: readonly (readonly [words: string, what: string])[]): string {
  return ['Examples:', ...list.flatMap(([words, what]) => [`  # ${what}`, `  ${hygie(words)}`])].join('\n');
}

/** The head of a command's help: how it is run, form by form. */
export function usage(...forms: readonly string[]): string {
  return forms.map((form, index) => `${index === 0 ? 'Usage: ' : '       '}${hygie(form)}`).join('\n');
}
