// The whole service as an operator runs it, on a configuration of its own with one trusted client.

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { freePort } from '#support/free-port.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Running, start } from './processes.ts';

export const CALLBACK = 'https://bench.example/callback';
export const SECRET = 'a-secret-of-the-bench-that-opens-nothing';

interface ConfigChoices {
  /** Further keys of the client. */
  client?: Record<string, unknown>;
  /** Further clients. */
  others?: readonly Record<string, unknown>[];
  service?: Record<string, unknown>;
}

/** Writes the configuration into `folder`; returns the environment that uses it. */
export async function writeConfig(
  folder: string,
  { client = {}, others = [], service = {} }: ConfigChoices = {},
): Promise<Record<string, string>> {
  const bench = {
    id: 'bench',
    name: 'Bench',
    type: 'server',
    secrets: [{ hash: await hashSecret(SECRET, CLIENT_SECRET_COST) }],
    callbackUrls: [CALLBACK],
    scopes: ['openid', 'offline_access', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
    consent: 'trusted',
    ...client,
  };
  const config = join(folder, 'config');
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'clients.yaml'), stringify({ clients: [bench, ...others] }));
  // What is measured is the service, not its limits.
  const unlimited = { directory: { rate: { perSecond: 0 } } };
  await writeFile(join(config, 'service.yaml'), stringify({ ...unlimited, ...service }));
  return { HYGIE_CONFIG: config, HYGIE_DATA: join(folder, 'data'), LOG_FORMAT: 'json' };
}

/** What `npm start` says to the C library and to Node. */
const [, TUNABLES = '', NODE_OPTION = ''] =
  /GLIBC_TUNABLES:-(\S+)\} exec node (\S+) /.exec(manifest.scripts.start) ?? [];

/** Starts the service as `npm start` does, with the configuration that `env` names. */
export async function startService(env: Record<string, string>): Promise<Running> {
  return start([NODE_OPTION, 'src/launch.js', 'serve'], {
    env: { HYGIE_PORT: String(await freePort()), GLIBC_TUNABLES: TUNABLES, ...env },
    ready: (text) => text.match(/answers at (https?:\S+)/)?.[1],
  });
}

/**
 * Starts the service on the demonstration's data in a folder of its own, which is removed when the service is stopped. In production it is a
 * sandbox behind a proxy (`behindProxy`).
 */
export async function startHygie(env: Record<string, string> = {}, production = false): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-'));
  const config = await writeConfig(folder, production ? { service: { proxies: 1 } } : {});
  const running = await startService({ ...config, ...(production && (await productionEnvironment())), ...env });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function productionEnvironment(): Promise<Record<string, string>> {
  const port = await freePort();
  return {
    NODE_ENV: 'production',
    HYGIE_SANDBOX: '1',
    HYGIE_ISSUER: `https://127.0.0.1:${port}`,
    HYGIE_HOST: '127.0.0.1',
    HYGIE_PORT: String(port),
    HYGIE_KEY_SECRET: randomBytes(32).toString('base64url'),
  };
}
