// Names secrets in files that everybody on the machine may read, and configuration that everybody may write (SEC-63).

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { type Environment, variable } from './environment.ts';

const READ_BY_OTHERS = 0o004;
const WRITTEN_BY_OTHERS = 0o002;

/** One sentence for each, with the remedy; for `check`. */
export async function exposedFiles(
  env: Environment,
  { configFolder, listen }: Pick<Settings, 'configFolder' | 'listen'>,
): Promise<string[]> {
  const clients = join(configFolder, 'clients.yaml');
  const variables = ['HYGIE_KEY_SECRET_FILE', 'HYGIE_KEY_SECRET_OLD_FILE', 'DATABASE_URL_FILE'] as const;
  const secrets = [
    ...variables.flatMap((name) => variable(env, name) ?? []),
    ...(listen.tls ? [listen.tls.key] : []),
    ...secretFilesOf((await readYamlFile(clients)).value).map((file) => resolve(configFolder, file)),
  ];
  const configuration = [configFolder, join(configFolder, 'service.yaml'), clients];
  return [
    ...(await having(READ_BY_OTHERS, secrets)).map(
      (file) => `everybody on this machine can read ${file}, which holds a secret: chmod 600 ${file}`,
    ),
    ...(await having(WRITTEN_BY_OTHERS, configuration)).map(
      (path) => `everybody on this machine can change ${path}, and so register clients: chmod o-w ${path}`,
    ),
  ];
}

async function having(permission: number, paths: readonly string[]): Promise<string[]> {
  // Without permissions in the sense of POSIX.
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

/** Of every `secrets: [{ file: PATH }]`. */
function secretFilesOf(value: unknown): string[] {
  const { clients } = (value ?? {}) as { clients?: unknown };
  return (Array.isArray(clients) ? clients : []).flatMap((entry: { secrets?: unknown } | null) =>
    (Array.isArray(entry?.secrets) ? entry.secrets : []).flatMap((secret: { file?: unknown } | null) =>
      typeof secret?.file === 'string' ? [secret.file] : [],
    ),
  );
}
