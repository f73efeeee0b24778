// Advice on settings that work but should be checked before others rely on the service. Also finds files with secrets that everybody on the
// machine may read, configuration that everybody may write (SEC-63), and folders that cannot be watched.

import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Environment, variable } from '#config/environment/environment.ts';
import { keyFileIn } from '#config/environment/secrets.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { isLoopbackHost } from '#config/url-rules.ts';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { shellWord } from '#shared/operator-messages.ts';
import { EXAMPLE_NAMESPACE } from './service-schema.ts';

/** Returns the advice on the settings, one sentence for each setting that should be checked. */
export function adviceOn(settings: Settings): string[] {
  const advice: string[] = [];
  if (settings.demo && settings.processes > 1) {
    advice.push('the demo application keeps its sessions in one process: set processes to 1 to sign in to it.');
  }
  const { shrinkage, removed } = settings.directory.guards;
  if (shrinkage > removed) {
    advice.push(
      `directory.guards.shrinkage is ${shrinkage} and removed ${removed}: an edition that shrinks by more than ${removed} is still ` +
        'refused, by removed. Set both.',
    );
  }
  const { host, port, token } = settings.metrics;
  if (port !== undefined && token === undefined && !isLoopbackHost(host)) {
    advice.push(
      `metrics.host is ${host} without metrics.token: whoever reaches port ${port} reads the metrics. Let only an inner network reach it, ` +
        'as deploy/compose.yaml and deploy/kubernetes.yaml do, or set the token.',
    );
  }
  if (settings.mode !== 'production') return advice;
  if (settings.sandbox) {
    advice.push(
      'this is a sandbox (HYGIE_SANDBOX=1): its people are fictional, and everybody may sign in. No real data belongs in it.',
    );
  }
  if (!settings.mail && !settings.sandbox) {
    advice.push(
      'no mail server is set: forgotten passwords, invitations and notices of critical changes are not sent. Set mail in service.yaml' +
        (settings.branding.helpText || settings.branding.supportUrl
          ? '.'
          : ', or say whom people may ask in branding.helpText or branding.supportUrl.'),
    );
  }
  if (settings.namespace === EXAMPLE_NAMESPACE) {
    advice.push(
      `namespace is still the example ${EXAMPLE_NAMESPACE}: set it in service.yaml before relying parties depend on it.`,
    );
  }
  if (settings.keys.secrets.length === 0) {
    advice.push(
      `no HYGIE_KEY_SECRET is set: the first start makes one in ${keyFileIn(settings.dataFolder)}. Every instance needs that file. ` +
        'Keep a copy of it, apart from the backup of the database.',
    );
  }
  if (settings.proxies === 0 && settings.issuer.startsWith('https:') && !settings.listen.tls) {
    advice.push(
      'issuer is https and proxies is 0: set proxies in service.yaml to the number of reverse proxies that end TLS, or set listen.tls.',
    );
  }
  return advice;
}

/**
 * Advises to require PKCE (RFC 9700 2.1.1), and names the clients of type `server` that need not use it yet. Only `check` prints this
 * advice, because the applications have to change before the operator can follow it.
 */
export function adviceOnPkce({ pkce }: Pick<Settings, 'pkce'>, clients: readonly ClientSettings[]): string[] {
  if (pkce === 'required') return [];
  const without = clients.filter(
    ({ type, pkce, callbackUrls }) => type === 'server' && pkce !== 'required' && callbackUrls.length > 0,
  );
  if (without.length === 0) return [];
  return [
    `PKCE is optional for ${named(without)}: once they send code_challenge, write pkce: required there, or in service.yaml for all.`,
  ];
}

/**
 * Names the trusted clients that get no refresh token by default. To get one, their applications must send `prompt=consent`, which few can
 * do. Only `check` prints this advice.
 */
export function adviceOnRefreshTokens(clients: readonly ClientSettings[]): string[] {
  const trusted = clients.filter(
    ({ consent, scopes, refreshTokens }) =>
      consent === 'trusted' && scopes.includes('offline_access') && refreshTokens === undefined,
  );
  if (trusted.length === 0) return [];
  return [
    `${named(trusted)}: offline_access is left out unless the application sends prompt=consent. ` +
      'If it does not, write refreshTokens: always, else refreshTokens: consent.',
  ];
}

/** Lists the ids of the first five clients. If there are more, their number follows. */
function named(clients: readonly ClientSettings[]): string {
  const names = clients.slice(0, 5).map(({ id }) => id);
  const rest = clients.length > names.length ? ` and ${clients.length - names.length} more` : '';
  return names.join(', ') + rest;
}

const READ_BY_OTHERS = 0o004;
const WRITTEN_BY_OTHERS = 0o002;
/** The environment variables that name a file with a secret. */
const VARIABLES = [
  'HYGIE_KEY_SECRET_FILE',
  'HYGIE_KEY_SECRET_OLD_FILE',
  'DATABASE_URL_FILE',
  'HYGIE_MAIL_PASSWORD_FILE',
] as const;

/**
 * Returns one sentence for each file with a secret that everybody on this machine can read, and for each configuration file that everybody
 * can change. Each sentence has the remedy. `check` prints them.
 */
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
  // Windows has no POSIX permissions, so nothing can be checked there.
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

/** Returns PATH of `metrics: { token: { file: PATH } }`, or an empty list. */
function tokenFileOf(value: unknown): string[] {
  const { metrics } = (value ?? {}) as { metrics?: { token?: { file?: unknown } | null } | null };
  const file = metrics?.token?.file;
  return typeof file === 'string' ? [file] : [];
}

/** Returns PATH of every `secrets: [{ file: PATH }]` of a client. */
function secretFilesOf(value: unknown): string[] {
  const { clients } = (value ?? {}) as { clients?: unknown };
  return (Array.isArray(clients) ? clients : []).flatMap((entry: { secrets?: unknown } | null) =>
    (Array.isArray(entry?.secrets) ? entry.secrets : []).flatMap((secret: { file?: unknown } | null) =>
      typeof secret?.file === 'string' ? [secret.file] : [],
    ),
  );
}

/**
 * Returns the reason why the folder cannot be watched, with its remedy. Returns undefined if it can be watched. `folder` and `dataFolder`
 * are absolute paths.
 */
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
