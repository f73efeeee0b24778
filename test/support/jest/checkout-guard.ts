// Keeps the tests out of what an operator has in this checkout: they would read its real secrets, or change it. Opening the data
// folder, `.env` or the edited configuration throws, and fails the run also where the error is caught.

import { createRequire, syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuse } from '#support/refusals.ts';

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

type Call = (path: unknown, ...more: unknown[]) => unknown;

const require = createRequire(import.meta.url);

/** Checks the first argument of a function of Node's; `cp` goes through everything below a folder. */
function guard(module: string, name: string): void {
  const functions = require(module) as Record<string, Call>;
  const original = functions[name] as Call;
  const guarded: Call = (path, ...more) => {
    const named = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : String(path);
    const absolute = typeof path === 'number' ? '' : resolve(named);
    const isWhole = name.startsWith('cp');
    const hit = KEPT_OUT.find(
      (kept) => absolute === kept || absolute.startsWith(`${kept}/`) || (isWhole && kept.startsWith(`${absolute}/`)),
    );
    if (hit === undefined) return original(path, ...more);
    const error = new Error(`${name}: ${hit} is the operator's; tests have their own (test/support/config/shipped.ts)`);
    refuse(error.message, error.stack ?? '');
    throw error;
  };
  functions[name] = Object.assign(guarded, original);
}

for (const name of [...OPENING, ...COPYING]) {
  guard('node:fs/promises', name);
  guard('node:fs', name);
  guard('node:fs', `${name}Sync`);
}
syncBuiltinESMExports();
