// Starts the processes that a bench measures, and stops them by their ids. Loopback only.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { freePort } from '#support/free-port.ts';

export const CALLBACK = 'https://bench.example/callback';
export const SECRET = 'a-secret-of-the-bench-that-opens-nothing';
export const ROOT = join(import.meta.dirname, '../..');

export interface Running {
  address: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts `node FILE ARGS...` and waits for the line that `ready` recognises as the address. */
export function start(
  args: readonly string[],
  {
    env = {},
    input,
    ready,
  }: { env?: Record<string, string>; input?: string | Buffer; ready(text: string): string | undefined },
): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  child.stdin.end(input ?? '');
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer) => {
      text += chunk.toString();
      const address = ready(text);
      if (!address) return;
      // The log goes on being read, or the process would wait for a reader, but it is not kept.
      for (const stream of [child.stdout, child.stderr]) stream.off('data', look).resume();
      resolve({ address, pid: child.pid ?? 0, stop: () => stop(child) });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${text}`)));
  });
}

/** Asks a process to end and waits until it has; harmless when it has ended already. */
export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/**
 * Writes the configuration of the bench into `folder`, with one trusted client, which `more` adds to; returns the environment that
 * uses it.
 */
export async function writeSite(folder: string, more: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const clients = [
    {
      id: 'bench',
      name: 'Bench',
      type: 'server',
      secrets: [{ hash: await hashSecret(SECRET, CLIENT_SECRET_COST) }],
      callbackUrls: [CALLBACK],
      scopes: ['openid', 'offline_access', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
      consent: 'trusted',
      ...more,
    },
  ];
  const config = join(folder, 'config');
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'clients.yaml'), stringify({ clients }));
  // What is measured is the service, not its limits.
  await writeFile(join(config, 'service.yaml'), 'directory: { rate: { perSecond: 0 } }\n');
  return { HYGIE_CONFIG: config, HYGIE_DATA: join(folder, 'data'), LOG_FORMAT: 'json' };
}

/** The whole service as an operator runs it, on the site that `env` names. */
export async function startService(env: Record<string, string>): Promise<Running> {
  // As `npm start` does it.
  return start(['--max-semi-space-size=16', 'src/launch.js', 'serve'], {
    env: { HYGIE_PORT: String(await freePort()), ...env },
    ready: (text) => text.match(/answers at (https?:\S+)/)?.[1],
  });
}

/** The service on a site of its own with the demonstration's data, both gone when it is stopped. */
export async function startHygie(env: Record<string, string> = {}): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-'));
  const running = await startService({ ...(await writeSite(folder)), ...env });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
