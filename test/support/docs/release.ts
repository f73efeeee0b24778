// Copies the files of `deploy/` so that their paths lead into the place of a page.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { intoPlace, type Rewriting } from './rewriting.ts';

/** Written by `place.ts` into each place. */
const REWRITING = 'rewriting.json';

export function keepRewriting(rewriting: Rewriting): void {
  writeFileSync(join(rewriting.root, REWRITING), JSON.stringify({ ...rewriting, ports: [...rewriting.ports] }));
}

export function copyRewritten(from: string, to: string, root: string): void {
  const kept = JSON.parse(readFileSync(join(root, REWRITING), 'utf8')) as Rewriting & { ports: [number, number][] };
  const rewriting = { ...kept, ports: new Map(kept.ports) };
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from, { withFileTypes: true })) {
    if (!name.isFile()) continue;
    writeFileSync(join(to, name.name), intoPlace(readFileSync(join(from, name.name), 'utf8'), rewriting));
  }
}
