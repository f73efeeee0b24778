// Prepares the place in which the commands of a page run: folders of a machine, programs, an installation, a database.

import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '#store/database/connection.ts';
import { editionFiles } from '#support/damage/edition-files.ts';
import { createPopulation, onTheNextDay } from '#support/damage/population.ts';
import { templateDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { type Front, makeCertificate, openFront, PUBLIC_HOST } from './front.ts';
import { makeRelease } from './programs/files.ts';
import { copyRewritten, keepRewriting, PAGE_ROLE, PORTS, type Rewriting } from './rewriting.ts';
import { STAND_INS } from './stand-ins.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const HERE = import.meta.dirname;

/** What a page may ask for in its first line: `<!-- place: installed, postgresql, running -->`. */
export const WORDS = ['installed', 'empty', 'development', 'postgresql', 'running'] as const;
export type Word = (typeof WORDS)[number];

export interface Place {
  folder: string;
  /** The folder in which the page's shell begins. */
  cwd: string;
  env: Record<string, string>;
  rewriting: Rewriting;
  /** Its shell runs as this group of processes, which ends with the test's process at the latest. */
  started(group: number): void;
  remove(): Promise<void>;
}

export interface Places {
  make(words: readonly Word[]): Promise<Place>;
  close(): void;
}

/** Starts what all pages share: the command process, the proxy, a filled installation. */
export async function openPlaces(): Promise<Places> {
  const shared = mkdtempSync(join(tmpdir(), 'hygie-handbook-'));
  mkdirSync(join(shared, 'requests'));
  execFileSync('mkfifo', [join(shared, 'queue')]);
  const commands = fork(join(HERE, 'command-process.ts'), [shared, REPOSITORY], {
    // The tests themselves run with these arguments.
    execArgv: ['--max-semi-space-size=32', '--single-threaded-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((ready, failed) =>
    commands.once('message', ready).once('exit', () => failed(new Error('the command process ended'))),
  );
  makeCertificate(shared);
  const front = await openFront(shared);
  const run: Shared = { shared, front, commands, filled: new Map() };
  return {
    make: (words) => makePlace(run, words),
    close: () => {
      commands.kill();
      front.close();
      rmSync(shared, { recursive: true, force: true });
    },
  };
}

interface Shared {
  shared: string;
  front: Front;
  commands: ChildProcess;
  /** Data folder that holds people, keys and directory, by engine. */
  filled: Map<string, Promise<string>>;
}

async function makePlace(run: Shared, words: readonly Word[]): Promise<Place> {
  const root = mkdtempSync(join(run.shared, 'root-'));
  const postgres = words.includes('postgresql') ? new URL(process.env['HYGIE_TEST_POSTGRES'] ?? '').host : undefined;
  const ports = new Map(await Promise.all(PORTS.map(async (port) => [port, await freePort()] as const)));
  const rewriting: Rewriting = { root, ports, ...(postgres !== undefined && { postgres }) };
  keepRewriting(rewriting);
  for (const folder of [
    'bin',
    'etc/systemd/system',
    'etc/ssl/connect.example.org',
    'opt',
    'srv',
    'var/lib',
    'var/log',
    'var/backups',
    'run',
    'root',
    'usr/local/bin',
    'mnt',
    'home',
    'backup',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of ['fullchain.pem', 'key.pem'])
    cpSync(join(run.shared, name), join(root, 'etc/ssl/connect.example.org', name));
  makePrograms(run, root, words);
  writeEditions(root);
  const port = ports.get(3000) ?? 0;
  run.front.target(port);
  const env: Record<string, string> = {
    PATH: `${join(root, 'bin')}:${join(root, 'usr/local/bin')}:${process.env['PATH']}`,
    HOME: join(root, 'root'),
    TMPDIR: process.env['TMPDIR'] ?? tmpdir(),
    LC_ALL: 'C.UTF-8',
    PLACE_PIPES: run.shared,
    PLACE_ROOT: root,
    ...(postgres !== undefined && postgresVariables()),
  };
  const place = {
    folder: root,
    env,
    rewriting,
    started: (group: number) => void run.commands.send({ group }),
    remove: () => removePlace(run, root, postgres),
  };
  if (words.includes('empty')) {
    if (postgres !== undefined) await replaceDatabase();
    return { ...place, cwd: join(root, 'root') };
  }
  const release = join(root, 'opt/hygie');
  makeRelease(REPOSITORY, release, { env });
  if (words.includes('development')) {
    cpSync(process.env['HYGIE_TEST_TEMPLATE'] ?? '', join(release, 'data'), { recursive: true });
    Object.assign(env, { HYGIE_PORT: String(port) });
    return { ...place, cwd: release };
  }
  await install(run, place, postgres !== undefined);
  return { ...place, cwd: release };
}

/** The programs of the table, and a curl that knows the public host and trusts its certificate. */
function makePrograms({ shared, front }: Shared, root: string, words: readonly Word[]): void {
  const bin = join(root, 'bin');
  for (const name of [...Object.keys(STAND_INS), 'apply-yaml', 'make-keys']) {
    if (name !== 'hygie') symlinkSync(join(HERE, 'shim.sh'), join(bin, name));
  }
  // A page that begins with nothing installs this one itself.
  if (!words.includes('empty')) makeHygie(root);
  const options = `--cacert ${join(shared, 'fullchain.pem')} --connect-to ${PUBLIC_HOST}:443:127.0.0.1:${front.port}`;
  writeFileSync(join(bin, 'curl'), `#!/bin/sh\nPATH=\${PATH#*:}\nexec curl ${options} "$@"\n`);
  chmodSync(join(bin, 'curl'), 0o755);
}

/** `deploy/hygie.sh`, without the secrets that only the shell of a page has; the command alone where there is no unit. */
function makeHygie(root: string): void {
  mkdirSync(join(root, 'shims'));
  symlinkSync(join(HERE, 'shim.sh'), join(root, 'shims/hygie'));
  const script = `#!/bin/sh
if ! [ -e ${root}/etc/systemd/system/hygie@.service ]; then exec ${root}/shims/hygie "$@"; fi
unset HYGIE_KEY_SECRET_FILE DATABASE_URL_FILE
exec sh ${root}/opt/hygie/deploy/hygie.sh "$@"
`;
  writeFileSync(join(root, 'bin/hygie'), script, { mode: 0o755 });
}

/** Two editions of the registers, a day apart, where the handbook has them. */
function writeEditions(root: string): void {
  const first = createPopulation(7, 200);
  for (const [day, population] of [
    ['20261120', first],
    ['20261121', onTheNextDay(first, 1, 0.01)],
  ] as const) {
    const folder = join(root, 'srv/registers', `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`);
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of editionFiles(population, day)) writeFileSync(join(folder, name), content);
  }
}

/** Prepares a machine as the page "first production start" leaves it. */
async function install(
  run: Shared,
  { folder: root, env, rewriting }: Omit<Place, 'cwd'>,
  postgres: boolean,
): Promise<void> {
  const secrets = join(root, 'etc/hygie/secrets');
  mkdirSync(secrets, { recursive: true });
  writeFileSync(
    join(root, 'etc/hygie/service.yaml'),
    'namespace: https://connect.example.org/ns\nproxies: 1\nlisten: { drain: 0s, finish: 1s }\n',
  );
  writeFileSync(join(root, 'etc/hygie/clients.yaml'), 'clients: []\n');
  writeFileSync(join(root, 'etc/hygie/hygie.env'), `HYGIE_ISSUER=https://${PUBLIC_HOST}\n`);
  writeFileSync(join(secrets, 'key-secret'), 'a-key-secret-of-the-handbook-that-opens-nothing\n');
  if (postgres) writeFileSync(join(secrets, 'database-url'), `postgres://hygie:hygie@${rewriting.postgres}/hygie\n`);
  copyRewritten(join(REPOSITORY, 'deploy'), join(root, 'opt/hygie/deploy'), root);
  const unit = execFileSync('cat', [join(root, 'opt/hygie/deploy/hygie@.service')], { encoding: 'utf8' });
  writeFileSync(
    join(root, 'etc/systemd/system/hygie@.service'),
    postgres ? unit : unit.replace(/^LoadCredential=database-url.*\n/m, '').replace(/ DATABASE_URL_FILE=\S+/, ''),
  );
  Object.assign(env, {
    NODE_ENV: 'production',
    HYGIE_COMMAND: 'hygie',
    HYGIE_ISSUER: `https://${PUBLIC_HOST}`,
    HYGIE_CONFIG: join(root, 'etc/hygie'),
    HYGIE_DATA: join(root, 'var/lib/hygie'),
    HYGIE_HOST: '127.0.0.1',
    HYGIE_PORT: String(rewriting.ports.get(3000)),
    HYGIE_KEY_SECRET_FILE: join(secrets, 'key-secret'),
    ...(postgres && { DATABASE_URL_FILE: join(secrets, 'database-url') }),
  });
  const engine = postgres ? 'postgresql' : 'sqlite';
  const filled = run.filled.get(engine) ?? fillInstallation(run, env, postgres);
  run.filled.set(engine, filled);
  cpSync(await filled, join(root, 'var/lib/hygie'), { recursive: true });
  if (postgres) await replaceDatabase('hygie_handbook');
}

/** People, keys and a directory, made once by the commands that the handbook names; resolves with the data folder. */
async function fillInstallation({ shared }: Shared, env: Record<string, string>, postgres: boolean): Promise<string> {
  const data = join(shared, `filled-${postgres ? 'postgresql' : 'sqlite'}`);
  const fill = async (url?: string) => {
    const { DATABASE_URL_FILE: _, ...own } = env;
    const script = `hygie migrate
      make-keys
      printf 'a long password of nobody' | hygie accounts add --email zoe@clinic.example --given Zoé --family Martin --password-stdin --keep-password
      hygie directory import $PLACE_ROOT/srv/registers/2026-11-20`;
    execFileSync('bash', ['-e', '-c', script], {
      env: { ...own, HYGIE_DATA: data, ...(url !== undefined && { DATABASE_URL: url }) },
      stdio: 'pipe',
    });
  };
  if (postgres) await templateDatabase('hygie_handbook', fill);
  else await fill();
  return data;
}

/** Puts a new database in the place of the one that pages name, or none. */
async function replaceDatabase(template?: string): Promise<void> {
  const url = `${process.env['HYGIE_TEST_POSTGRES']}/postgres`;
  const administration = openDatabase({ engine: 'postgresql', url });
  await administration.raw('drop database if exists hygie with (force)');
  for (const role of ['hygie_2', PAGE_ROLE]) await administration.raw(`drop role if exists ${role}`);
  if (template !== undefined) {
    await administration.raw(`create database hygie template ${template}`);
    await administration.raw(`create role ${PAGE_ROLE} in role hygie`);
  }
  await administration.destroy();
}

function postgresVariables(): Record<string, string> {
  const { hostname, port, username, password } = new URL(process.env['HYGIE_TEST_POSTGRES'] ?? '');
  return { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password, PGDATABASE: 'postgres' };
}

async function removePlace({ commands }: Shared, root: string, postgres: string | undefined): Promise<void> {
  const stopped = once(commands, 'message');
  commands.send({ done: root });
  await stopped;
  if (postgres !== undefined) await replaceDatabase();
  rmSync(root, { recursive: true, force: true });
}
