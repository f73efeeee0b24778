// Node: packages that are not among those of the repository, in a folder of their own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, cached, copySources, NOT_FETCHED, sources } from '#tools/interoperability/runner/cache.ts';
import type { Toolchain } from '#tools/interoperability/runner/driver.ts';

const INSTALL = ['ci', '--omit=optional', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];

export const javascript: Toolchain = {
  title: 'JavaScript',
  missing: () => undefined,
  prepare: async () => {
    const folder = await copySources('javascript');
    const locked = readFileSync(join(folder, 'package-lock.json'), 'utf8');
    const stamp = join(folder, 'node_modules/.package-lock.json.installed');
    if (readIfThere(stamp) === locked) return undefined;
    const { ok } = await build('npm', INSTALL, folder);
    if (!ok) return NOT_FETCHED;
    await (await import('node:fs/promises')).writeFile(stamp, locked);
    return undefined;
  },
  version: (driver) => lockedVersion(join(sources('javascript'), 'package-lock.json'), driver.package),
  command: ({ entry }) => ({ command: process.execPath, args: [join(cached('javascript'), entry)] }),
  trust: async ({ certificate }) => ({ NODE_EXTRA_CA_CERTS: certificate }),
};

/** Of a package in a `package-lock.json`. */
export function lockedVersion(file: string, name: string): string {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { version?: string }> };
  const version = packages[`node_modules/${name}`]?.version;
  if (!version) throw new Error(`${file} has no ${name}`);
  return version;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
