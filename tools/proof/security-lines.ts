// Reads the promises of docs/security.md: number and sentence of each line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SecurityLine {
  /** `SEC-07`. */
  name: string;
  promise: string;
}

const PAGE = join(import.meta.dirname, '../../docs/security.md');

export function securityLines(): SecurityLine[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (SEC-\d\d) \| (.*?) +\|$/gm);
  return [...rows].map(([, name = '', promise = '']) => ({ name, promise })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
