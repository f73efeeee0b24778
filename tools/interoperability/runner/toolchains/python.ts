// Python: one virtual environment for all drivers, filled from requirements.txt.

import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, cached, copySources, missingOf, NOT_FETCHED, sources } from '#tools/interoperability/runner/cache.ts';
import type { Toolchain } from '#tools/interoperability/runner/driver.ts';

const REQUIREMENTS = 'requirements.txt';

export const python: Toolchain = {
  title: 'Python',
  missing: () => missingOf('python3'),
  prepare: async () => {
    const folder = await copySources('python');
    const wanted = readFileSync(join(folder, REQUIREMENTS), 'utf8');
    const stamp = join(folder, 'environment', 'installed.txt');
    if ((await installed(stamp)) === wanted) return undefined;
    await rm(join(folder, 'environment'), { recursive: true, force: true });
    const made = await build('python3', ['-m', 'venv', 'environment'], folder);
    if (!made.ok) return 'no module venv of python3';
    const fetched = await build('environment/bin/pip', ['install', '--quiet', '--no-deps', '-r', REQUIREMENTS], folder);
    if (!fetched.ok) return NOT_FETCHED;
    await writeFile(stamp, wanted);
    return undefined;
  },
  version: (driver) => {
    const pinned = readFileSync(join(sources('python'), REQUIREMENTS), 'utf8');
    const version = new RegExp(`^${driver.package}==(.+)$`, 'mi').exec(pinned)?.[1];
    if (!version) throw new Error(`${REQUIREMENTS} has no ${driver.package}`);
    return version;
  },
  command: ({ entry }) => ({
    command: join(cached('python'), 'environment/bin/python'),
    args: [join(cached('python'), entry)],
    folder: cached('python'),
  }),
  trust: async ({ certificate }) => ({
    SSL_CERT_FILE: certificate,
    REQUESTS_CA_BUNDLE: certificate,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
  }),
};

async function installed(stamp: string): Promise<string | undefined> {
  const { readFile } = await import('node:fs/promises');
  return readFile(stamp, 'utf8').catch(() => undefined);
}
