// Where drivers are copied to, and their packages installed: outside what is committed, kept from run to run.

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..');
const CACHE = join(SOURCES, '../../node_modules/.cache/interoperability');
const BUILD_OUTPUT = 64 * 1024 * 1024;

/** Folder of a language in this repository. */
export const sources = (language: string) => join(SOURCES, language);

/** Folder in the cache. */
export const cached = (...path: string[]) => join(CACHE, ...path);

/** Brings the drivers of a language as they are now to where their packages are installed. */
export async function copySources(language: string): Promise<string> {
  await mkdir(cached(language), { recursive: true });
  await cp(sources(language), cached(language), { recursive: true });
  return cached(language);
}

/** Whether a program is on the path. */
export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Names the first of the programs that is missing, in the words of the table. */
export function missingOf(...programs: string[]): string | undefined {
  const program = programs.find((name) => !onPath(name));
  return program && `no ${program}`;
}

export interface Built {
  ok: boolean;
  output: string;
}

/** Runs an installation or a build, at a low priority: it takes minutes the first time. */
export function build(command: string, args: readonly string[], folder: string, env = {}): Promise<Built> {
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: BUILD_OUTPUT };
  return new Promise((resolve) => {
    execFile('nice', ['-n', '10', command, ...args], options, (error, stdout, stderr) =>
      resolve({ ok: !error, output: `${stdout}${stderr}` }),
    );
  });
}

/** The end of what a build said, for a fault. */
export function faultOf(what: string, { output }: Built): Error {
  return new Error(`${what}:\n${output.trim().split('\n').slice(-40).join('\n')}`);
}

export const NOT_FETCHED = 'its packages could not be fetched';
