// Finds secrets in files that everybody on the machine may read, and configuration that everybody may write (SEC-63).

import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Environment, variable } from '#config/environment/environment.ts';
import type { Settings } from '#config/settings.ts';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { shellWord } from '#shared/operator-messages.ts';

const READ_BY_OTHERS = 0o004;
const WRITTEN_BY_OTHERS = 0o002;
/** The variables that name files with secrets. */
const VARIABLES = [
  'HYGIE_KEY_SECRET_FILE',
  'HYGIE_KEY_SECRET_OLD_FILE',
  'DATABASE_URL_FILE',
  'HYGIE_MAIL_PASSWORD_FILE',
] as const;

/** Returns one sentence with its remedy for each file that others can read. `check` prints them. */
export async function exposedFiles(
  env: Environment,
  { configFolder, listen }: Pick<Settings, 'configFolder' | 'listen'>,
): Promise<string[]> {
  const [service, clients] = [join(configFolder, 'service.yaml'), join(configFolder, 'clients.yaml')];
  const secrets = [
    ...VARIABLES.flatMap((name) => variable(env, name) ?? []),
    ...(listen.tls ? [listen.tls.key] : []),
    ...[...tokenFileOf((await readYamlFile(service)).value), ...secretFilesOf((await readYamlFile(clients)).value)].map(
      (file) => resolve(configFolder, file),
    ),
  ];
  const configuration = [configFolder, service, clients];
  return [
    ...(await having(READ_BY_OTHERS, secrets)).map(
      (file) => `everybody on this machine can read ${file}, which holds a secret: chmod 600 ${shellWord(file)}`,
    ),
    ...(await having(WRITTEN_BY_OTHERS, configuration)).map(
      (path) => `everybody on this machine can change ${path}, and so register clients: chmod o-w ${shellWord(path)}`,
    ),
  ];
}

async function having(permission: number, paths: readonly string[]): Promise<string[]> {
  // Windows has no POSIX permissions that could be checked.
  if (process.platform === 'win32') return [];
  const modes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  );
  return paths.filter((_path, index) => ((modes[index] ?? 0) & permission) !== 0);
}

/** Returns the file of `metrics: { token: { file: PATH } }`. */
function tokenFileOf(value: unknown): string[] {
  const { metrics } = (value ?? {}) as { metrics?: { token?: { file?: unknown } | null } | null };
  const file = metrics?.token?.file;
  return typeof file === 'string' ? [file] : [];
}

/** Returns the file of every `secrets: [{ file: PATH }]`. */
function secretFilesOf(value: unknown): string[] {
  const { clients } = (value ?? {}) as { clients?: unknown };
  return (Array.isArray(clients) ? clients : []).flatMap((entry: { secrets?: unknown } | null) =>
    (Array.isArray(entry?.secrets) ? entry.secrets : []).flatMap((secret: { file?: unknown } | null) =>
      typeof secret?.file === 'string' ? [secret.file] : [],
    ),
  );
}

/** Returns the reason why the folder cannot be watched, with its remedy; undefined if it can be watched. Both paths are absolute. */
export async function watchedFolderIssue(
  folder: string,
  dataFolder: string,
): Promise<{ problem: string; remedy: string } | undefined> {
  try {
    await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: 'There is no such folder.', remedy: 'Make it, or mend the path.' };
    if (code === 'ENOTDIR') return { problem: 'Is a file.', remedy: 'Name the folder into which editions are put.' };
    return { problem: `Cannot be read (${code}).`, remedy: 'Give the user who runs Hygie the right to read it.' };
  }
  const [watched, data] = await Promise.all([realpath(folder), realpath(dataFolder).catch(() => dataFolder)]);
  if (!`${data}${sep}`.startsWith(watched === sep ? sep : `${watched}${sep}`)) return undefined;
  return {
    problem: 'Holds the data folder (HYGIE_DATA), which changes all the time.',
    remedy: 'Use a folder of its own for the editions.',
  };
}
