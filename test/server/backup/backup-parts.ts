// What tests of backups share: the content of a manifest, the programs of PostgreSQL in imitation, and what is said or refused.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '#server/backup/manifest.ts';
import type { OnProgress } from '#shared/progress.ts';

export const CONTENT: Omit<Manifest, 'format' | 'seal'> = {
  hygie: '1.0.0',
  created: '2026-11-20T10:00:00.000Z',
  issuer: 'https://connect.example',
  sandbox: false,
  database: { engine: 'sqlite', kind: 'sqlite', schema: [], tables: { accounts: 3 } },
  keys: { encrypted: false, secrets: [], fileIncluded: false },
  directory: { included: false },
  files: [],
};

/** The kind and the message of what an attempt throws, with the folder of the tests as `DIR`. */
export async function refusal(attempt: Promise<unknown> | (() => unknown), folder: string): Promise<string> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt);
    return 'none';
  } catch (error) {
    const { name } = (error as Error).constructor;
    return `${name}: ${(error as Error).message}`.replaceAll(folder, 'DIR');
  }
}

/** Steps of progress without how far each is, and lines. */
export function told() {
  const steps = new Set<string>();
  const lines: string[] = [];
  const onProgress: OnProgress = ({ name, unit }) => void steps.add(`${name} (${unit})`);
  return { steps, lines, onProgress, say: (line: string) => void lines.push(line) };
}

/** Writes a program of PostgreSQL, of this version, whose other calls run `script`. */
export function writeProgram(folder: string, name: string, version: number, script: string): void {
  const file = join(folder, name);
  const answer = `case "$1" in --version) echo "${name} (PostgreSQL) ${version}.1"; exit 0;; esac`;
  writeFileSync(file, `#!/bin/sh\n${answer}\n${script}\n`);
  chmodSync(file, 0o700);
}
