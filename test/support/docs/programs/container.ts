// Stands for `docker` and `kubectl`: the files and services that a call names have to exist; a command of Hygie in a container runs here.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Answer, Call } from '#support/docs/call.ts';

export async function container(
  { name, args, cwd }: Call,
  repository: string,
  hygie: (args: string[]) => Promise<Answer>,
): Promise<Answer> {
  const files = args.flatMap((arg, index) => (/^(-f|--file)$/.test(args[index - 1] ?? '') && arg !== '-' ? [arg] : []));
  const missing = files.filter((file) => !existsSync(resolve(cwd, file)));
  if (missing.length > 0) return { code: 1, stderr: `${name}: there is no ${missing.join(', ')}\n` };
  const after = args[0] === 'compose' || name === 'kubectl' ? args : args.slice(0);
  const exec = after.findIndex((arg) => arg === 'exec' || arg === 'run');
  if (exec < 0) return {};
  const [target = '', ...words] = after.slice(exec + 1).filter((arg) => !/^(-[a-zA-Z]+|--rm|--)$/.test(arg));
  const services = Object.keys(
    (parse(readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8')) as { services: object }).services,
  );
  if (args[0] === 'compose' && !services.includes(target)) {
    return { code: 1, stderr: `compose.yaml has no service ${target}\n` };
  }
  return words[0] === 'hygie' ? hygie(words.slice(1)) : {};
}
