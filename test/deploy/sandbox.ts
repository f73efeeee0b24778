// Runs a command as a container engine would: the root file system is read-only, with the files of the image alone, the account is
// no root, and the command is process 1. By bubblewrap, which needs no engine and no rights.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Whether this machine has bubblewrap and lets it make namespaces. */
export function hasSandbox(): boolean {
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Production packages that the lock file names and this machine has, as `npm ci --omit=dev` installs them. */
export function productionPackages(context: string): string[] {
  interface Locked {
    dev?: boolean;
    devOptional?: boolean;
  }
  const lock = JSON.parse(readFileSync(join(context, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) => {
    const top = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path);
    return top && !dev && !devOptional && existsSync(join(context, path)) ? [path] : [];
  });
}

export interface Contained {
  child: ChildProcess;
  output(): string;
  /** Signals process 1 of the container. */
  signal(name: NodeJS.Signals): Promise<void>;
  ended: Promise<number | null>;
}

export interface Image {
  /** Files of this machine, read-only, by their places in the image. */
  files: readonly (readonly [source: string, place: string])[];
  /** The only place that can be written. */
  data: readonly [source: string, place: string];
  links: readonly (readonly [target: string, place: string])[];
  environment: Readonly<Record<string, string>>;
  user: string;
  folder: string;
}

const SYSTEM = ['/usr', '/lib', '/lib64', '/bin', '/etc/ssl'].filter((path) => existsSync(path));

/** Starts a command of the image. */
export function contain(image: Image, command: readonly string[]): Contained {
  const [uid = '', gid = uid] = image.user.split(':');
  // Node is where its image has it; what the system's own /usr/local holds is not seen.
  const args = [
    ...SYSTEM.flatMap((path) => ['--ro-bind', path, path]),
    ...['--tmpfs', '/usr/local', '--ro-bind', process.execPath, '/usr/local/bin/node'],
    ...image.links.flatMap(([target, place]) => ['--symlink', target, place]),
    ...image.files.flatMap(([source, place]) => ['--ro-bind', source, place]),
    ...['--bind', ...image.data, '--proc', '/proc', '--dev', '/dev', '--remount-ro', '/usr/local', '--remount-ro', '/'],
    ...['--unshare-pid', '--as-pid-1', '--unshare-user', '--uid', uid, '--gid', gid, '--die-with-parent'],
    ...['--chdir', image.folder, '--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...Object.entries(image.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--info-fd', '3', '--', ...command],
  ];
  const child = spawn('bwrap', args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (written += text));
  let info = '';
  const known = child.stdio[3] as Readable;
  known.on('data', (text) => (info += text));
  const told = once(known, 'end');
  return {
    child,
    output: () => written,
    signal: async (name) => {
      await told;
      process.kill((JSON.parse(info) as { 'child-pid': number })['child-pid'], name);
    },
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
