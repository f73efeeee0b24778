// How the drivers of each language are installed, built and started, what version they have, and how they trust the run.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, cached, copySources, faultOf, missingOf, NOT_FETCHED, sources } from './cache.ts';
import type { Driver, Toolchain, ToolchainName } from './driver.ts';
import { java } from './java.ts';

/** The first group of the pattern in a file of the language. */
function versionIn(language: string, file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(sources(language), file), 'utf8'))?.[1];
  if (!version) throw new Error(`${language}/${file} has nothing that matches ${pattern}`);
  return version;
}

/** Installs unless what is installed comes from the same lock file. Returns the reason when the packages cannot be had. */
async function installOnce(
  folder: string,
  { locked, stamp }: { locked: string; stamp: string },
  install: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const wanted = await readFile(join(folder, locked), 'utf8');
  if ((await readFile(join(folder, stamp), 'utf8').catch(() => undefined)) === wanted) return undefined;
  const reason = await install();
  if (reason === undefined) await writeFile(join(folder, stamp), wanted);
  return reason;
}

/** Fetches the packages of a language that is compiled, then builds the driver without network. */
async function fetchAndBuild(language: string, program: string, fetched: string[], built: string[]) {
  const folder = await copySources(language);
  if (!(await build(program, fetched, folder)).ok) return NOT_FETCHED;
  const result = await build(program, built, folder);
  if (!result.ok) throw faultOf(`${program} build`, result);
  return undefined;
}

/** Node: packages that are not among those of the repository, in a folder of their own. */
const javascript: Toolchain = {
  title: 'JavaScript',
  missing: () => undefined,
  prepare: async () => {
    const folder = await copySources('javascript');
    const files = { locked: 'package-lock.json', stamp: 'node_modules/.package-lock.json.installed' };
    const arguments_ = ['ci', '--omit=optional', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    return installOnce(folder, files, async () =>
      (await build('npm', arguments_, folder)).ok ? undefined : NOT_FETCHED,
    );
  },
  version: (driver) => lockedVersion(join(sources('javascript'), 'package-lock.json'), driver.package),
  command: ({ entry }) => ({ command: process.execPath, args: [join(cached('javascript'), entry)] }),
  trust: async ({ certificate }) => ({ NODE_EXTRA_CA_CERTS: certificate }),
};

/** The version of a package in a `package-lock.json`. */
export function lockedVersion(file: string, name: string): string {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { version?: string }> };
  const version = packages[`node_modules/${name}`]?.version;
  if (!version) throw new Error(`${file} has no ${name}`);
  return version;
}

/** Python: one virtual environment for all drivers. */
const python: Toolchain = {
  title: 'Python',
  missing: () => missingOf('python3'),
  prepare: async () => {
    const folder = await copySources('python');
    const files = { locked: 'requirements.txt', stamp: 'environment/installed.txt' };
    return installOnce(folder, files, async () => {
      await rm(join(folder, 'environment'), { recursive: true, force: true });
      if (!(await build('python3', ['-m', 'venv', 'environment'], folder)).ok) return 'no module venv of python3';
      const arguments_ = ['install', '--quiet', '--no-deps', '-r', files.locked];
      return (await build('environment/bin/pip', arguments_, folder)).ok ? undefined : NOT_FETCHED;
    });
  },
  version: (driver) => versionIn('python', 'requirements.txt', new RegExp(`^${driver.package}==(.+)$`, 'mi')),
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

/** Go: one module; each driver is a command of it. */
const go: Toolchain = {
  title: 'Go',
  missing: () => missingOf('go'),
  prepare: ({ entry }) =>
    fetchAndBuild('go', 'go', ['mod', 'download'], ['build', '-o', `${cached('go-bin')}/`, `./cmd/${entry}`]),
  version: (driver) => versionIn('go', 'go.mod', new RegExp(`^\\s*(?:require )?${driver.package} v(\\S+)`, 'm')),
  command: ({ entry }) => ({ command: join(cached('go-bin'), entry), args: [] }),
  trust: async ({ certificate }) => ({ SSL_CERT_FILE: certificate }),
};

/**
 * Rust: one package; each driver is a binary of it. Its lock file would name the registry, and is left out: what the drivers use
 * themselves is pinned in Cargo.toml.
 */
const rust: Toolchain = {
  title: 'Rust',
  missing: () => missingOf('cargo'),
  prepare: () =>
    fetchAndBuild('rust', 'cargo', ['fetch'], ['build', '--offline', '--target-dir', cached('rust-target')]),
  version: (driver) => versionIn('rust', 'Cargo.toml', new RegExp(`^${driver.package} = .*"=([\\d.]+)"`, 'm')),
  command: ({ entry }) => ({ command: cached('rust-target', 'debug', entry), args: [] }),
  trust: async ({ certificate }) => ({ SSL_CERT_FILE: certificate }),
};

/** Programs of the system: each driver is a script for sh, and its `package` is the program that it drives. */
const shell: Toolchain = {
  title: 'Command line',
  missing: () => missingOf('sh', 'sed'),
  prepare: async (driver) => missingOf(driver.package),
  version: (driver: Driver) => {
    if (missingOf(driver.package)) return '';
    const said = execFileSync(driver.package, ['--version'], { encoding: 'utf8' });
    return /\d+(?:\.\d+)+/.exec(said)?.[0] ?? '';
  },
  command: ({ entry }) => ({ command: 'sh', args: [join(sources('shell'), entry)] }),
  trust: async ({ certificate }) => ({ CURL_CA_BUNDLE: certificate }),
};

export const TOOLCHAINS: Record<ToolchainName, Toolchain> = { javascript, python, go, java, rust, shell };
