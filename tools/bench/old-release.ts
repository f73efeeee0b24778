// Runs a commit of this repository as a release of its own: its code unpacked into a folder, with the libraries that are installed here.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '#config/settings.ts';
import { inherited } from '#support/cli/hygie.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const READY_WITHIN = 60_000;
const BASELINE = 'src/store/migrations/20261125000000_baseline.ts';

/** The last commit before the newest migration, or the commit of the first one. */
export function releaseBefore(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).trim();
  const [newest = 'HEAD'] = git('log', '--format=%H', '--diff-filter=A', '--', 'src/store/migrations').split('\n');
  return git('ls-tree', '--name-only', `${newest}^`, BASELINE) === '' ? newest : `${newest}^`;
}

/** Unpacks the commit into a new folder of this name. */
export function unpackRelease(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: REPOSITORY, maxBuffer: 1 << 30 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

export interface Instance {
  origin: string;
  /** Everything it has written. */
  output(): string;
  /** Resolves when its process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** The secret of `upgrade`, the client of `writeClients`. */
export const CLIENT_SECRET = 'a-secret-of-the-upgrades-that-opens-nothing';
export const CLIENT = 'upgrade';
export const CALLBACK = 'https://application.example/callback';
export const SCOPE = 'openid email profile offline_access PRACTITIONER_READ';

/** A configuration that every release understands. */
export function writeClients(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.yaml'), '');
  const client = { id: CLIENT, name: 'Upgrade', type: 'server', secrets: [{ env: 'UPGRADE_SECRET' }] };
  const clients = [{ ...client, callbackUrls: [CALLBACK], scopes: SCOPE.split(' ') }];
  writeFileSync(join(folder, 'clients.yaml'), JSON.stringify({ clients }));
  return folder;
}

export interface Place {
  config: string;
  data: string;
  port: number;
  database: Settings['database'];
  env?: Record<string, string>;
}

/** Starts `serve` of the release in the folder, in development, and resolves once it is ready. */
export async function startRelease(release: string, place: Place): Promise<Instance> {
  const origin = `http://127.0.0.1:${place.port}`;
  const child = spawn(process.execPath, [join(release, 'src', 'launch.js'), 'serve'], {
    cwd: release,
    env: {
      ...inherited(),
      npm_package_json: join(release, 'package.json'),
      HYGIE_CONFIG: place.config,
      HYGIE_DATA: place.data,
      HYGIE_PORT: String(place.port),
      HYGIE_HOST: '127.0.0.1',
      HYGIE_ISSUER: origin,
      UPGRADE_SECRET: CLIENT_SECRET,
      LOG_LEVEL: 'warn',
      ...(place.database.engine === 'postgresql' && { DATABASE_URL: place.database.url }),
      ...place.env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const until = Date.now() + READY_WITHIN;
  const { host } = new URL(place.env?.['HYGIE_ISSUER'] ?? origin);
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    process
      .getBuiltinModule('node:http')
      .get(`${origin}/health/ready`, { headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      })
      .on('error', () => resolve(false));
    if (await promise) break;
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`${release} did not start:\n${output}`);
    }
    await setTimeout(100);
  }
  return {
    origin,
    output: () => output,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}
