// The packages of the lock file: which of them production installs, and what it says of each.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

interface Entry {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  inBundle?: boolean;
  hasInstallScript?: boolean;
}

export interface LockedPackage extends Entry {
  /** Its place below the root: node_modules/NAME. */
  path: string;
  name: string;
  version: string;
  /** SPDX expression, or what the package says instead; undefined where nobody says it. */
  licence: string | undefined;
  /** Whether `npm ci --omit=dev` leaves it out. */
  dev: boolean;
}

/** The lock file as it is. Ends the program where there is none: packages that nothing names cannot be listed. */
export function readLock(): { packages: Record<string, Entry> } {
  const file = join(ROOT, 'package-lock.json');
  if (!existsSync(file)) {
    process.stderr.write(
      `${file} is not there. Remedy: take the one of the release; or run npm install, which makes one.\n`,
    );
    process.exit(1);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };
}

/** Sorted by name. Those for other platforms than this one are among them. */
export function lockedPackages(): LockedPackage[] {
  return Object.entries(readLock().packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      ...entry,
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? licenceInstalled(join(ROOT, path, 'package.json')),
      dev: entry.dev === true,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a package itself says, also in the form of npm before 2014, which npm leaves out of the lock file. */
function licenceInstalled(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    license?: string;
    licenses?: readonly { type: string }[];
  };
  return license ?? licenses?.map(({ type }) => type).join(' OR ');
}
