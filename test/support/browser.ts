// Finds and starts a real Chromium for a test: CHROMIUM_PATH, an installed one, or the one that comes from npm. Every
// caller closes the browser that it opened.

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { lastingFolder } from './temporary-folder.ts';

// By Node itself instead of the test runner, which would load Playwright anew for every file.
const { chromium } = process.getBuiltinModule('node:module').createRequire(import.meta.url)(
  'playwright-core',
) as typeof import('playwright-core');

const run = promisify(execFile);

const INSTALLED_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
const INSTALLED_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Opens a headless Chromium with its normal web security. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({
    executablePath,
    headless: true,
    env: { ...process.env, ...env },
    args: [
      // A container's root user cannot build Chromium's sandbox, and its /dev/shm is often too small.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-dev-shm-usage', '--disable-gpu'],
      // Pages of one site share a process, which has then compiled their scripts before; those of two sites never do.
      '--renderer-process-limit=1',
    ],
  });
}

async function findChromium(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const chosen = process.env['CHROMIUM_PATH'];
  if (chosen) return { executablePath: chosen, env: {} };
  const installed = installedChromium();
  if (installed) return { executablePath: installed, env: {} };
  return unpackedChromium();
}

function installedChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const places = [
    ...folders.flatMap((folder) => INSTALLED_NAMES.map((name) => join(folder, name))),
    ...INSTALLED_PLACES,
  ];
  return places.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Unpacks the npm package's Chromium once per machine and version; several test workers may do so at the same time. */
async function unpackedChromium(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archives = join(dirname(entry), '..', 'bin');
  const { version } = createRequire(import.meta.url)(join(dirname(entry), '..', 'package.json')) as {
    version: string;
  };
  const home = join(lastingFolder(), `hygie-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(home)) await unpack(entry, archives, home);

  const executablePath = join(home, 'chromium');
  const env: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_PATH: join(home, 'fonts') };
  if (!(await starts(executablePath))) {
    env['LD_LIBRARY_PATH'] = [join(home, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']]
      .filter(Boolean)
      .join(delimiter);
  }
  return { executablePath, env };
}

// The package unpacks into the temporary folder of its process, and takes a half-written file for a whole one:
// so it runs in a process with a folder of its own, which is then moved into place in one step.
async function unpack(entry: string, archives: string, home: string): Promise<void> {
  const folder = await mkdtemp(`${home}-`);
  const script = `
    const { default: chromium, inflate } = await import(${JSON.stringify(entry)});
    await chromium.executablePath();
    await inflate(${JSON.stringify(join(archives, 'al2023.tar.br'))});`;
  await run(process.execPath, ['--input-type=module', '--eval', script], { env: { ...process.env, TMPDIR: folder } });
  try {
    await rename(folder, home);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

async function starts(executablePath: string): Promise<boolean> {
  return run(executablePath, ['--version']).then(
    () => true,
    () => false,
  );
}
