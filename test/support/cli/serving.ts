// Runs long commands as an operator does: `hygie serve`, on a free port and with a copy of the run's data folder, and
// others that do not end by themselves.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeMigrated } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { type Installation, inherited, installation } from './hygie.ts';

const LAUNCH = fileURLToPath(new URL('../../../src/launch.js', import.meta.url));

export interface Serving {
  port: number;
  child: ChildProcess;
  /** Everything written so far, standard output and standard error together. */
  output(): string;
  /** Resolves when the output matches; rejects when the process ends before. */
  outputMatching(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code when the process, and every process that shares its output, has ended. */
  ended: Promise<number | null>;
}

/** An installation that a development start filled: demo people and the fictional directory. */
export function filledInstallation(): Installation {
  const place = installation();
  cpSync(process.env['HYGIE_TEST_TEMPLATE'] ?? '', join(place.folder, 'data'), { recursive: true });
  return place;
}

/** An installation whose database is migrated, and empty. */
export async function migratedInstallation(): Promise<Installation> {
  const place = installation();
  await writeMigrated(join(place.folder, 'data', 'hygie.sqlite'));
  return place;
}

/** Starts the service; ended by `child.kill`. */
export async function serve(place: Installation, env: Record<string, string> = {}): Promise<Serving> {
  const port = Number(env['HYGIE_PORT'] ?? (await freePort()));
  return { port, ...launch(place, ['serve'], { HYGIE_HOST: '127.0.0.1', HYGIE_PORT: String(port), ...env }) };
}

/** Starts a command that runs on; ended by `child.kill`. */
export function launch(
  { folder }: Installation,
  args: readonly string[],
  env: Record<string, string> = {},
): Omit<Serving, 'port'> {
  const child = spawn(process.execPath, [LAUNCH, ...args], {
    env: {
      ...inherited(),
      HYGIE_CONFIG: join(folder, 'config'),
      HYGIE_DATA: join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  let closed = false;
  const listeners = new Set<() => void>();
  const receive = (text?: Buffer) => {
    written += text ?? '';
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', receive);
  child.stderr.on('data', receive);
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      closed = true;
      receive();
      resolve(code);
    }),
  );
  const outputMatching = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(written);
        if (!found && !closed) return;
        listeners.delete(look);
        if (found) resolve(found);
        else reject(new Error(`ended without output that matches ${pattern}:\n${written}`));
      };
      listeners.add(look);
      look();
    });
  return { child, output: () => written, outputMatching, ended };
}

/** A keep-alive connection that has sent half of a request, which the service is known to have begun. */
export async function halfRequest(
  port: number,
  socket: Socket = connect(port, '127.0.0.1'),
): Promise<{ finish(): Promise<string>; socket: Socket }> {
  let answer = '';
  const answered = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(answer) && resolve(answer);
      socket.on('data', look).once('close', () => reject(new Error(`the connection ended after: ${answer}`)));
      look();
    });
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const body = 'grant_type=authorization_code&client_id=nobody';
  socket.write(
    `POST /oauth/token HTTP/1.1\r\nHost: localhost:${port}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await answered(/^HTTP\/1\.1 100 /);
  answer = '';
  return {
    socket,
    finish: () => {
      const whole = answered(/\}$/);
      socket.write(body);
      return whole;
    },
  };
}

/** Resolves once the service has closed the connection. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket.resume(), 'close');
}

/** Signals each process twice; stopped meanwhile, so that both are there when it goes on: however slow the machine is, they come at once. */
export function tellTwice(processes: readonly number[]): void {
  for (const pid of processes)
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) process.kill(pid, signal);
}
