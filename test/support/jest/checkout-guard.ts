// Loaded for its effect before everything else (`native-modules.ts`): what an operator has in this checkout is not for tests, which
// would read its real secrets, or change it. Opening the data folder, `.env` or the edited configuration throws, and fails the
// test file that did it, also where the error is caught.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceBuiltin } from '#support/replace-builtin.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const KEPT_OUT = ['data', '.env', 'config/service.yaml', 'config/clients.yaml'].map((name) => resolve(CHECKOUT, name));

const OPENING = [
  'open',
  'readFile',
  'writeFile',
  'appendFile',
  'readdir',
  'opendir',
  'mkdir',
  'chmod',
  'rm',
  'unlink',
  'rename',
];
const COPYING = ['copyFile', 'cp', 'symlink', 'link'];

const opened: string[] = [];

/** What was opened since the last call. */
export function openedOfCheckout(): string[] {
  return opened.splice(0);
}

type Call = (path: unknown, ...more: unknown[]) => unknown;

/** Checks the first argument of a function: `isWhole` for one that goes through everything below a folder. */
function guard(module: string, name: string, isWhole: boolean): void {
  replaceBuiltin<Call>(module, name, (original) => {
    const guarded: Call = (path, ...more) => {
      const named = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : String(path);
      const absolute = typeof path === 'number' ? '' : resolve(named);
      const hit = KEPT_OUT.find(
        (kept) => absolute === kept || absolute.startsWith(`${kept}/`) || (isWhole && kept.startsWith(`${absolute}/`)),
      );
      if (hit === undefined) return original(path, ...more);
      opened.push(hit);
      throw new Error(`${name}: ${hit} is the operator's; tests have their own (test/support/config/shipped.ts)`);
    };
    return Object.assign(guarded, original);
  });
}

for (const name of [...OPENING, ...COPYING]) {
  const isWhole = name === 'cp';
  guard('node:fs/promises', name, isWhole);
  guard('node:fs', name, isWhole);
  guard('node:fs', `${name}Sync`, isWhole);
}
