// Starts real PgBouncers in front of the run's PostgreSQL: that of Debian, and another one that HYGIE_PGBOUNCER names.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { newFolder } from './new-folder.ts';
import { until } from './until.ts';

export interface PgBouncerProgram {
  path: string;
  version: string;
  /** Whether it carries statements by name from one server connection to another (since 1.21). */
  prepares: boolean;
}

/** The programs of this machine, one of each version. */
export function pgBouncers(): PgBouncerProgram[] {
  const found = [process.env['HYGIE_PGBOUNCER'] ?? '', '/usr/sbin/pgbouncer'].filter((path) => existsSync(path));
  const programs = found.map((path) => {
    const [, version = '', major, minor] =
      /PgBouncer ((\d+)\.(\d+)\.\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
    return { path, version, prepares: Number(major) > 1 || Number(minor) >= 21 };
  });
  return programs.filter(({ version }, index) => programs.findIndex((one) => one.version === version) === index);
}

export interface PgBouncer {
  port: number;
  /** Ends it as `systemctl restart` does, and starts it again, perhaps with other settings. */
  restart(changed?: Record<string, string | number>): Promise<void>;
  stop(): Promise<void>;
}

/** Four server connections for all clients, by transaction, unless `settings` say otherwise; in front of the run's PostgreSQL, or of `server`. */
export async function startPgBouncer(
  { path }: PgBouncerProgram,
  settings: Record<string, string | number> = {},
  server = new URL(process.env['HYGIE_TEST_POSTGRES'] ?? ''),
): Promise<PgBouncer> {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const root = process.getuid?.() === 0;
  const all: Record<string, string | number> = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: 4,
    server_login_retry: 1,
    ...(root && { user: 'nobody' }),
    ...settings,
  };
  writeFileSync(all['auth_file'] as string, `"${server.username}" "${server.password}"\n`, { mode: 0o644 });
  const file = join(folder, 'pgbouncer.ini');
  const start = async () => {
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const database = `* = host=${server.hostname} port=${server.port}`;
    writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'), { mode: 0o644 });
    const child = spawn(path, ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
      return answers(port);
    }, 'PgBouncer listens');
    return async () => {
      const ended = once(child, 'exit');
      // At once, whoever is connected.
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 500).unref();
      await ended;
    };
  };
  let end = await start();
  return {
    port,
    restart: async (changed = {}) => {
      await end();
      Object.assign(all, changed);
      end = await start();
    },
    stop: () => end(),
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
