// Stand-ins for programs that copy files or change their owner, and for `docker`, `kubectl` and `helm`.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { copyShippedConfig } from '#support/config/shipped.ts';
import { type Answer, type Call, ownProgram, rootOf } from '#support/docs/call.ts';
import { copyRewritten } from '#support/docs/rewriting.ts';

/** Every argument that is a path has to lead to something. */
export async function namedFiles({ name, args, cwd }: Call): Promise<Answer> {
  const paths = args.filter((arg) => !arg.startsWith('-') && /^[./]|\//.test(arg) && !/^[\w.@-]+:/.test(arg));
  const missing = paths.filter((path) => !existsSync(resolve(cwd, path)));
  if (missing.length === 0) return {};
  return { code: 1, stderr: `${name}: there is no ${missing.join(', ')}\n` };
}

/** `install` without owner and group. */
export async function installFiles(call: Call): Promise<Answer> {
  const { args } = call;
  const kept: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (/^-[og]$/.test(arg)) index += 1;
    else if (!/^--(owner|group)=/.test(arg)) kept.push(arg);
  }
  return { exec: ownProgram(call, 'install', ...kept) };
}

/** `git clone ADDRESS FOLDER`: this repository. */
export async function copies(repository: string, call: Call): Promise<Answer> {
  const folder = call.args.at(-1) ?? '';
  makeRelease(repository, resolve(call.cwd, folder), call);
  return {};
}

/** The release in a folder: what is only read is a link, what a page may edit or install a copy that knows the place. */
export function makeRelease(repository: string, folder: string, { env }: Pick<Call, 'env'>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(repository)) {
    const [from, to] = [join(repository, name), join(folder, name)];
    if (name === 'config') copyShippedConfig(to);
    else if (name === 'deploy') copyRewritten(from, to, rootOf({ env }));
    else if (!['.git', '.env', 'data', basename(folder)].includes(name)) symlinkSync(from, to);
  }
}

/**
 * Stands for `docker`, `kubectl` and `helm`. The files and services that a call names have to exist; a command of Hygie in a container runs
 * here.
 */
export async function container(
  { name, args, cwd }: Call,
  repository: string,
  hygie: (args: string[]) => Promise<Answer>,
): Promise<Answer> {
  const files = args.flatMap((arg, index) => (/^(-f|--file)$/.test(args[index - 1] ?? '') && arg !== '-' ? [arg] : []));
  const missing = files.filter((file) => !existsSync(resolve(cwd, file)));
  if (missing.length > 0) return { code: 1, stderr: `${name}: there is no ${missing.join(', ')}\n` };
  const exec = args.findIndex((arg) => arg === 'exec' || arg === 'run');
  if (exec < 0) return {};
  const [target = '', ...words] = args.slice(exec + 1).filter((arg) => !/^(-[a-zA-Z]+|--rm|--)$/.test(arg));
  const services = Object.keys(
    (parse(readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8')) as { services: object }).services,
  );
  if (args[0] === 'compose' && !services.includes(target)) {
    return { code: 1, stderr: `compose.yaml has no service ${target}\n` };
  }
  return words[0] === 'hygie' ? hygie(words.slice(1)) : {};
}
