// Starts the processes that a bench measures, and stops them by their ids. Loopback only.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '../../src/shared/secret-hash.ts';
import { freePort } from '../postgres.ts';

export const CALLBACK = 'https://bench.example/callback';
export const SECRET = 'a-secret-of-the-bench-that-opens-nothing';
const ROOT = join(import.meta.dirname, '..', '..');

export interface Running {
  address: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts `node FILE ARGS...` and waits for the line that `ready` recognises as the address. */
export function start(
  args: readonly string[],
  { env = {}, input, ready }: { env?: Record<string, string>; input?: string; ready(text: string): string | undefined },
): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  child.stdin.end(input ?? '');
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer) => {
      text += chunk.toString();
      const address = ready(text);
      if (address) resolve({ address, pid: child.pid ?? 0, stop: () => stop(child) });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${text}`)));
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** The whole service as an operator runs it, with the demonstration's data and one trusted client. */
export async function startHygie(env: Record<string, string> = {}): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-'));
  const clients = [
    {
      id: 'bench',
      name: 'Bench',
      type: 'server',
      secrets: [{ hash: await hashSecret(SECRET, CLIENT_SECRET_COST) }],
      callbackUrls: [CALLBACK],
      scopes: ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
      consent: 'trusted',
    },
  ];
  await writeFile(join(folder, 'clients.yaml'), stringify({ clients }));
  await writeFile(join(folder, 'service.yaml'), '');
  const port = await freePort();
  const running = await start(['src/launch.js', 'serve'], {
    env: {
      HYGIE_CONFIG: folder,
      HYGIE_DATA: join(folder, 'data'),
      HYGIE_PORT: String(port),
      LOG_FORMAT: 'json',
      ...env,
    },
    ready: (text) => text.match(/answers at (http:\S+)/)?.[1],
  });
  const stopService = running.stop;
  return {
    ...running,
    stop: async () => {
      await stopService();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
