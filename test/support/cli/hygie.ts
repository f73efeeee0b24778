// Runs Hygie's commands as an operator does: real processes, temporary configuration and data, nothing inherited.

import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { recorded } from '#support/connections.ts';
import { newFolder } from '#support/new-folder.ts';

export const LAUNCH = fileURLToPath(new URL('../../../src/launch.js', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** What every command is started with, whatever else its environment holds: as by `npm run -s hygie --`. */
export function inherited(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', npm_package_json: PACKAGE, ...recorded() };
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Installation {
  folder: string;
  /** Environment variables of its commands. */
  environment: Readonly<Record<string, string>>;
  /** Writes a file of the configuration folder. */
  configure(name: string, text: string): void;
  /** Runs a command; `input` goes to its standard input. */
  hygie(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Outcome>;
  /** For scripts: folders of tests go by themselves. */
  remove(): void;
}

/** A fresh installation: empty configuration, no data. */
export function installation(fixed: Record<string, string> = {}): Installation {
  const folder = newFolder();
  const config = join(folder, 'config');
  mkdirSync(config);
  // Put in place whole: a process that watches the folder never meets half a file, however slow the machine.
  const configure = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    renameSync(join(folder, name), join(config, name));
  };
  const environment = { HYGIE_CONFIG: config, HYGIE_DATA: join(folder, 'data'), ...fixed };
  configure('service.yaml', '');
  configure('clients.yaml', '');
  return {
    folder,
    environment,
    configure,
    hygie: (args, { input = '', env = {} } = {}) => run(args, input, { ...environment, ...env }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(args: readonly string[], input: string, env: Record<string, string>): Promise<Outcome> {
  const child = spawn(process.execPath, [LAUNCH, ...args], { env: { ...inherited(), ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  // A command that reads nothing may be gone before its input is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
