// Configuration folders for tests: written, and read by the real loader.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigIssue, ConfigurationError, loadConfiguration } from '#config/index.ts';
import { newFolder } from '#support/new-folder.ts';

export type Environment = Record<string, string | undefined>;

/** A new folder with the given files. */
export function folderWith(files: Record<string, string>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The environment of an installation whose configuration is in that folder, and which has no data yet. */
export function environmentOf(folder: string): Environment {
  return { HYGIE_CONFIG: folder, HYGIE_DATA: join(folder, 'data') };
}

/** Reads service and clients as given, with nothing else in the environment, and no data yet. */
export function load(files: { service?: string; clients?: string }, env: Environment = {}) {
  const folder = folderWith({ 'service.yaml': files.service ?? '', 'clients.yaml': files.clients ?? '' });
  return loadConfiguration({ ...environmentOf(folder), ...env });
}

/** The issues that loading names; fails when it succeeds, or fails in any other way. */
export async function issuesOf(loading: Promise<unknown>): Promise<readonly ConfigIssue[]> {
  const outcome = await loading.then(
    () => new Error('no issue was found'),
    (error: unknown) => error,
  );
  if (outcome instanceof ConfigurationError) return outcome.issues;
  throw outcome;
}
