// Tells how an operator runs a command at this installation, so that commands in messages can be copied.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const HERE = 'src/launch.js';
const LAUNCH = fileURLToPath(new URL('../launch.js', import.meta.url));

/** The command as documents write it. */
const BY_NPM = 'npm run -s hygie --';

/**
 * A command line. `hygie('keys list')` is `npm run -s hygie -- keys list` in a process that one of this package's scripts has started.
 * Elsewhere (a unit, say) npm may be missing, and it is `node src/launch.js keys list`, with the whole path if another folder is the
 * current one. `HYGIE_COMMAND` overrides it: the container has a program of that name, and an operator may run it from outside (`docker
 * exec NAME hygie`). As a template tag, it quotes inserted values for the shell, and each text of a list by itself.
 */
export function hygie(words: string | TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const own = process.env['HYGIE_COMMAND']?.trim();
  const program = own || (process.env['npm_package_json'] === PACKAGE ? BY_NPM : `node ${shellWord(launchFile())}`);
  if (typeof words === 'string') return `${program} ${words}`;
  return `${program} ${String.raw({ raw: words }, ...values.map((value) => [value].flat().map(shellWord).join(' ')))}`;
}

/** The text as one shell word, in quotation marks if it holds characters that the shell would interpret. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// The relative path if the current folder is Hygie's, otherwise the absolute one.
function launchFile(): string {
  return relative(process.cwd(), LAUNCH) === HERE ? HERE : LAUNCH;
}
