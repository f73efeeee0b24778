// Owns how this installation's commands are typed, which their texts call `hygie`: a clone has no command of that name.
// Does not own any text.

import { existsSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** npm puts such folders into the PATH of what it runs; the operator's terminal does not have them. */
const OF_NPM = join('node_modules', '.bin');
const CALL =
  /(?<![\w/.@-]|npx )hygie (?=(?:accounts|audit|check|clients|directory|keys|migrate|serve)\b|--help\b|COMMAND\b)/g;

/** What stands for `hygie` on a command line in this folder. */
export function typedName(path: string, folder: string): string {
  const folders = path.split(delimiter).filter((one) => one !== '' && !one.endsWith(OF_NPM));
  if (folders.some((one) => existsSync(join(one, 'hygie')))) return 'hygie';
  // npm finds its package from any folder within it; elsewhere it would look for a stranger's.
  if (folder === ROOT || folder.startsWith(ROOT + sep)) return 'npx hygie';
  return `node ${join(ROOT, 'src', 'launch.js')}`;
}

/** The text, with every `hygie COMMAND` as it can be typed where this process runs. */
export function typed(text: string): string {
  if (!text.includes('hygie ')) return text;
  const name = typedName(process.env['PATH'] ?? '', process.cwd());
  return text.replace(CALL, () => `${name} `);
}

/** A sentence to the operator, on standard error. */
export function say(sentence: string): void {
  process.stderr.write(typed(`${sentence}\n`));
}
