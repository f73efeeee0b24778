// Where the service of these settings listens, also while an edit of `service.yaml` is faulty: such an edit takes effect at the
// next start only, and whoever asks the running service must not be told that it is down.

import { join, resolve } from 'node:path';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { type Environment, variable, withEnvironment } from './environment.ts';

const PORT = 3000;
/** Addresses of every network, and what reaches them from this machine. */
const OF_THIS_MACHINE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Host and port by which this machine reaches the service, and whether that is by TLS. */
export async function listeningAddress(env: Environment): Promise<{ host: string; port: number; tls: boolean }> {
  const folder = resolve(variable(env, 'HYGIE_CONFIG') ?? 'config');
  const { value } = withEnvironment(await readYamlFile(join(folder, 'service.yaml')), env);
  const { listen } = (value ?? {}) as { listen?: { host?: unknown; port?: unknown; tls?: unknown } | null };
  const host = typeof listen?.host === 'string' ? listen.host : '0.0.0.0';
  return {
    host: OF_THIS_MACHINE[host] ?? host,
    port: typeof listen?.port === 'number' ? listen.port : PORT,
    tls: typeof listen?.tls === 'object' && listen.tls !== null,
  };
}
