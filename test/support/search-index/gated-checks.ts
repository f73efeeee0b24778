// Checks of exact texts for the threads of a search, by which a test holds or ends a thread. A search for a held text stands still,
// its thread with it, as long as a file exists, as if the disk did not answer; so does every one where the address by which the thread
// loads this module names that file. One for a deadly text ends its thread, one for a costly text is refused.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TooCostly } from '#search-index/search-errors.ts';
import type { ResourceChecks } from '#search-index/snapshot.ts';

/** Address of this module. */
export const GATED_CHECKS = import.meta.url;

/** The same, by which every search of exact texts stands before this gate. */
export function checksBefore(gate: string): string {
  return Object.assign(new URL(GATED_CHECKS), { search: new URLSearchParams({ gate }) }).href;
}

const GATE = new URL(import.meta.url).searchParams.get('gate') ?? undefined;

/** What a text has to contain. */
const [HELD, DEADLY, COSTLY] = ['held:', 'deadly', 'costly'];

export const checks: ResourceChecks = {
  hasKey: () => true,
  hasText: (_field, [text = '']) => {
    pass(text);
    return true;
  },
};

function pass(text: string): void {
  if (text.includes(DEADLY)) process.exit(7);
  if (text.includes(COSTLY)) throw new TooCostly('told by a test');
  const [, gate = GATE] = text.split(HELD);
  const wait = new Int32Array(new SharedArrayBuffer(4));
  while (gate !== undefined && existsSync(gate)) Atomics.wait(wait, 0, 0, 5);
}

/** A closed gate; `text` is what a search has to ask for to stand before it. */
export function closedGate(): { text: string; file: string; open(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-gate-'));
  const gate = join(folder, 'closed');
  writeFileSync(gate, '');
  return { file: gate, text: `${HELD}${gate}`, open: () => rmSync(folder, { recursive: true, force: true }) };
}
