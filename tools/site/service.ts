// The whole service as an operator runs it, on a configuration of its own with one trusted client.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { freePort } from '#support/free-port.ts';
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

/** Starts the service as `npm start` does, with the configuration that `env` names. */
export async function startService(env: Record<string, string>): Promise<Running> {
  return start(['--max-semi-space-size=8', 'src/launch.js', 'serve'], {
    env: { HYGIE_PORT: String(await freePort()), MALLOC_ARENA_MAX: '2', ...env },
    ready: (text) => text.match(/answers at (https?:\S+)/)?.[1],
  });
}

/** Starts the service on the demonstration's data in a folder of its own, which is removed when the service is stopped. */
export async function startHygie(env: Record<string, string> = {}): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-'));
  const running = await startService({ ...(await writeConfig(folder)), ...env });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
