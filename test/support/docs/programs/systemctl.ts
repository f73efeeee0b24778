// Stands for systemd: starts the real service as its unit file says, and ends it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get as getInTheClear } from 'node:http';
import { get as getByTls } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { listeningAddress } from '#config/index.ts';
import { type Answer, type Call, rootOf } from '#support/docs/call.ts';

/** Units that a distribution brings. */
const FOREIGN =
  /^(nginx|caddy|apache2|haproxy|postgresql|prometheus|grafana-server|systemd-timesyncd|ufw)(\.service)?$/;
const VERBS = [
  'start',
  'stop',
  'restart',
  'enable',
  'disable',
  'reload',
  'status',
  'is-active',
  'daemon-reload',
  'list-timers',
];

const running = new Map<string, ChildProcess>();
/** What each was started from. */
const startedFrom = new Map<string, string>();

export async function systemctl(call: Call, repository: string): Promise<Answer> {
  const root = rootOf(call);
  const words = call.args.filter((arg) => !arg.startsWith('-'));
  if (call.name === 'journalctl') {
    const unit = call.args[call.args.findIndex((arg) => /^(-u|--unit)$/.test(arg)) + 1] ?? '';
    return { stdout: existsSync(logOf(root, unit)) ? readFileSync(logOf(root, unit), 'utf8') : '' };
  }
  const [verb = '', ...units] = words;
  if (!VERBS.includes(verb)) return { code: 1, stderr: `systemctl: the stand-in knows no ${verb}\n` };
  for (const named of units) {
    const unit = named.replace(/\.service$/, '');
    if (FOREIGN.test(unit)) continue;
    const file = fileOf(root, named);
    if (unit !== 'npm' && !existsSync(file)) return { code: 5, stderr: `Unit ${named} not found.\n` };
    if (/\.(timer|path)$/.test(named)) continue;
    const starts = /^(re)?start$/.test(verb) || (verb === 'enable' && call.args.includes('--now'));
    if (verb === 'is-active')
      return { code: running.has(root + unit) ? 0 : 3, stdout: running.has(root + unit) ? 'active\n' : 'inactive\n' };
    // Restarts that change something show the stop and the new start; one that changes nothing would cost a second and show no more.
    const unchanged = verb === 'restart' && startedFrom.get(root + unit) === readAtStart(root, file);
    if (/^(stop|restart)$/.test(verb) && !unchanged) {
      await stop(root + unit);
      // They live as long as the instance.
      rmSync(credentialsOf(root, unit), { recursive: true, force: true });
    }
    if (verb === 'reload') running.get(root + unit)?.kill('SIGHUP');
    if (starts && !running.has(root + unit)) {
      const failure = await start(call, unit, file, repository);
      if (failure) return { code: 1, stderr: failure };
    }
  }
  return {};
}

function fileOf(root: string, unit: string): string {
  const name = /\.\w+$/.test(unit) ? unit : `${unit}.service`;
  return join(root, 'etc/systemd/system', name.replace(/@[^.]*\./, '@.'));
}

const credentialsOf = (root: string, unit: string) => join(root, `run/credentials/${unit}.service`);
const logOf = (root: string, unit: string) => join(root, `var/log/journal-${unit.replace(/\.service$/, '')}`);

async function start(call: Call, unit: string, file: string, repository: string): Promise<string | undefined> {
  const root = rootOf(call);
  let env = call.env;
  if (unit !== 'npm') {
    const read = environmentOf(file, root, unit);
    if (typeof read === 'string') return read;
    env = { PATH: call.env['PATH'] ?? '', ...read };
  }
  mkdirSync(dirname(logOf(root, unit)), { recursive: true });
  const log = openSync(logOf(root, unit), 'a');
  const child = spawn(process.execPath, [join(repository, 'src/launch.js'), 'serve'], {
    env,
    cwd: unit === 'npm' ? call.cwd : join(root, 'opt/hygie'),
    stdio: ['ignore', log, log],
  });
  running.set(root + unit, child);
  if (unit !== 'npm') startedFrom.set(root + unit, readAtStart(root, file));
  child.once('exit', () => running.get(root + unit) === child && running.delete(root + unit));
  // The service itself takes the configuration of its folder.
  const address = await listeningAddress(unit === 'npm' ? { HYGIE_CONFIG: join(call.cwd, 'config'), ...env } : env);
  // Waits until it answers, as ExecStartPost of the unit does.
  while (child.exitCode === null) {
    if (await answers(address)) return undefined;
    await setTimeout(100);
  }
  return `Job for ${unit}.service failed:\n${readFileSync(logOf(root, unit), 'utf8')}`;
}

function answers({ host, port, tls }: Awaited<ReturnType<typeof listeningAddress>>): Promise<boolean> {
  const get = tls ? getByTls : getInTheClear;
  return new Promise((resolve) => {
    get({ host, port, path: '/health/live', agent: false, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

async function stop(key: string): Promise<void> {
  const child = running.get(key);
  if (!child) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function dropIns(file: string): string[] {
  const folder = `${file}.d`;
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** The text of all files that the start of a unit depends on: its own, the configuration and the secrets. */
function readAtStart(root: string, file: string): string {
  const folder = join(root, 'etc/hygie');
  const configuration = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = configuration.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return [file, ...dropIns(file), ...files].map((one) => `${one}\n${readFileSync(one, 'utf8')}`).join('\n');
}

/** The variables that a unit starts its process with, or why it cannot. */
function environmentOf(file: string, root: string, unit: string): Record<string, string> | string {
  const credentials = credentialsOf(root, unit);
  const resolved = [file, ...dropIns(file)]
    .map((one) => readFileSync(one, 'utf8'))
    .join('\n')
    .replaceAll('%i', unit.replace(/^.*@/, ''))
    .replaceAll('%S', join(root, 'var/lib'))
    .replaceAll('%d', credentials);
  const lines = resolved.split('\n').filter((line) => !line.startsWith('#'));
  const valuesOf = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  rmSync(credentials, { recursive: true, force: true });
  mkdirSync(credentials, { recursive: true });
  for (const credential of valuesOf('LoadCredential')) {
    const [name = '', source = ''] = credential.split(':');
    if (!existsSync(source)) return `${unit}: LoadCredential: there is no ${source}\n`;
    cpSync(source, join(credentials, name));
    chmodSync(join(credentials, name), 0o400);
  }
  const files = valuesOf('EnvironmentFile').filter((path) => !path.startsWith('-') || existsSync(path.slice(1)));
  const missing = files.filter((path) => !existsSync(path.replace(/^-/, '')));
  if (missing.length > 0) return `${unit}: EnvironmentFile: there is no ${missing.join(', ')}\n`;
  const assigned = [
    ...valuesOf('Environment').flatMap((value) => value.split(/\s+/)),
    ...files.flatMap((path) => readFileSync(path.replace(/^-/, ''), 'utf8').split('\n')),
  ].filter((pair) => /^\w+=/.test(pair));
  return Object.fromEntries(
    assigned.map((pair) => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1).replace(/^"(.*)"$/, '$1'),
    ]),
  );
}

/** Ends the services of a place, at once. */
export async function stopAll(root: string): Promise<void> {
  const own = [...running].filter(([key]) => key.startsWith(root)).map(([, child]) => child);
  await Promise.all(
    own.map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/** Resolves when the services of the place have taken the edit of `clients.yaml` that `edit` makes, or have none. */
export async function afterEdit(root: string, edit: () => void): Promise<void> {
  const units = [...running.keys()].filter((key) => key.startsWith(root)).map((key) => key.slice(root.length));
  const taken = (unit: string) =>
    readFileSync(logOf(root, unit), 'utf8').split(/"clients\.(?:changed|refused)"/).length;
  const before = units.map(taken);
  edit();
  for (let left = 100; left > 0 && units.some((unit, index) => taken(unit) === before[index]); left -= 1)
    await setTimeout(50);
}

/** Ends all services, without waiting. */
export function killServices(): void {
  for (const child of running.values()) child.kill('SIGKILL');
}
