// Runs PostgreSQL's own programs, pg_dump and pg_restore, if they are installed.

import { spawn } from 'node:child_process';
import { parseAddresses } from '#shared/postgres-url.ts';

type Tool = 'pg_dump' | 'pg_restore';

/** Thrown when a program cannot be started, or fails. */
export class ToolFailed extends Error {
  override name = 'ToolFailed';
}

/** Maximum lines of the program's output that the error repeats. */
const LINES_KEPT = 5;

/** Returns the major version of the installed program; undefined if the program is not installed. */
export async function toolVersion(tool: Tool): Promise<number | undefined> {
  const printed = await run(tool, ['--version'], process.env).catch(() => '');
  const [, major] = /\s(\d+)(?:\.|\s|beta|rc|devel)/.exec(`${printed} `) ?? [];
  return major === undefined ? undefined : Number(major);
}

/**
 * Runs the program on the database at `url`. If the program fails, throws `ToolFailed` with the end of the program's output. The program
 * gets the address and the password from its environment, not from its arguments.
 */
export async function runTool(tool: Tool, args: readonly string[], url: string): Promise<void> {
  await run(tool, args, { ...process.env, ...libpqEnvironment(url) });
}

/** Checks a dump by reading all of it. Throws `ToolFailed` if the dump is damaged. */
export async function checkDump(file: string): Promise<void> {
  await run('pg_restore', ['--file=/dev/null', file], process.env);
}

/** Checks whether a dump has the service's tables in the schema `public`. They are there unless the database had another `search_path`. */
export async function isPublic(file: string): Promise<boolean> {
  return / TABLE public knex_migrations /.test(await run('pg_restore', ['--list', file], process.env));
}

/** Returns the name of the database in the address. */
export function databaseName(url: string): string {
  return decodeURIComponent(parse(url)[0].pathname.slice(1));
}

/**
 * Returns the address as environment variables of libpq. It is not passed as an argument, because everybody on the machine can read the
 * arguments of other processes, but not their environment.
 */
export function libpqEnvironment(url: string): Record<string, string> {
  const urls = parse(url);
  const [{ username, password, searchParams }] = urls;
  const listed = (part: (one: URL) => string) => urls.map(part).join(',');
  const given = (name: string) => searchParams.get(name) ?? '';
  const mode = given('sslmode');
  // Without `sslrootcert`, Node trusts its own list of certificate authorities. For libpq, the closest value is `system`, the list of the
  // operating system. PostgreSQL has this value since version 16.
  const authorities = given('sslrootcert') || process.env['NODE_EXTRA_CA_CERTS'] || 'system';
  const all = {
    PGHOST: given('host') || listed(({ hostname }) => decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1')),
    PGPORT: listed(({ port }) => (urls.length > 1 ? port || '5432' : port)),
    PGTARGETSESSIONATTRS: given('target_session_attrs') || (urls.length > 1 ? 'read-write' : ''),
    PGCONNECT_TIMEOUT: given('connect_timeout'),
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: databaseName(url),
    PGSSLMODE: mode === 'no-verify' ? 'require' : mode,
    PGSSLROOTCERT: mode === 'verify-full' ? authorities : '',
    PGSSLCERT: given('sslcert'),
    PGSSLKEY: given('sslkey'),
    PGOPTIONS: given('options'),
    PGAPPNAME: 'hygie-backup',
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

function parse(url: string): [URL, ...URL[]] {
  const urls = parseAddresses(url);
  if (!urls) throw new Error('DATABASE_URL is no address of PostgreSQL');
  return urls;
}

function run(tool: Tool, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(tool, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let said = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.on('data', (text) => {
    said = (said + text).slice(-4000);
  });
  const end = () => void child.kill();
  process.once('exit', end);
  return new Promise<string>((resolve, reject) => {
    child.once('error', (error) => reject(new ToolFailed(`${tool}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else
        reject(
          new ToolFailed(
            [`${tool} failed (${signal ?? code}):`, ...said.trim().split('\n').slice(-LINES_KEPT)].join('\n  '),
          ),
        );
    });
  }).finally(() => process.off('exit', end));
}
