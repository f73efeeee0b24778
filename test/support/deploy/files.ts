// What the tests of the files in `deploy/` share: how they are read, and what the service says of the settings in them.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT } from '#config/environment/environment.ts';
import { loadConfiguration } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';

export const DEPLOY = join(import.meta.dirname, '../../../deploy');
export const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

/** Whether a program is there, and succeeds with these arguments. */
export function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Variables of the service; others are for programs around it. */
export const unknownVariables = (names: string[]) =>
  names.filter((name) => /^(HYGIE_|DATABASE_URL)/.test(name) && !Object.hasOwn(ENVIRONMENT, name));

/** Seconds from the signal to the end of the last request, by the settings. */
export const endsWithin = ({ listen }: Pick<Settings, 'listen'>) => listen.drain + listen.finish;

/** The settings of a production start with these two files in `folder`, which is its data folder as well. */
export async function settingsOf(
  folder: string,
  service: string,
  clients = 'clients: []\n',
  env: Record<string, string> = {},
) {
  writeFileSync(join(folder, 'service.yaml'), service);
  writeFileSync(join(folder, 'clients.yaml'), clients);
  return (await loadConfiguration({ NODE_ENV: 'production', HYGIE_CONFIG: folder, HYGIE_DATA: folder, ...env }))
    .settings;
}

/** What a file without settings of its own runs with. */
export const behindProxy = (folder: string) =>
  settingsOf(folder, 'proxies: 1\n', undefined, { HYGIE_ISSUER: 'https://connect.example.org' });
