// Rows of clients and proxies that the suite drives already: runs those test files and reads jest's own report.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Check, Row } from './driver.ts';
import type { SuiteClient } from './suite-clients.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LONGEST_OUTPUT = 64 * 1024 * 1024;

/** One test in the report. */
export interface Assertion {
  title: string;
  fullName: string;
  status: string;
  failureMessages: readonly string[];
}

/** Tests of `npm test` or of `npm run test:system`. */
export interface SuiteTests {
  /** Path of the test file, or of a folder of them. */
  file: string;
  /** Which of its tests, by their names with those of the groups around. */
  tests: RegExp;
}

/** Runs the files, and gives what became of the tests that one asks for. `folder` is for jest's report. */
export async function runSuite(
  wanted: readonly SuiteTests[],
  folder: string,
): Promise<(of: SuiteTests) => readonly Assertion[]> {
  if (wanted.length === 0) return () => [];
  const files = [...new Set(wanted.map(({ file }) => file))];
  const isSystem = (file: string) => file.includes('.system.');
  const tests = [
    ...(await runFiles(
      'test',
      files.filter((file) => !isSystem(file)),
      folder,
    )),
    ...(await runFiles('test:system', files.filter(isSystem), folder)),
  ];
  return (of) => tests.filter(({ path, fullName }) => path.includes(of.file) && of.tests.test(fullName));
}

/** Runs files by one of the npm scripts, and reads its report. */
async function runFiles(script: string, files: string[], folder: string): Promise<(Assertion & { path: string })[]> {
  if (files.length === 0) return [];
  const report = join(folder, `${script.replace(':', '-')}.json`);
  const arguments_ = ['run', script, '--', ...files, '--json', `--outputFile=${report}`, '--maxWorkers=1'];
  // A test that fails makes it end with 1, and stands in the report.
  await promisify(execFile)('npm', arguments_, { cwd: ROOT, maxBuffer: LONGEST_OUTPUT }).catch(() => undefined);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { name: string; assertionResults: Assertion[] }[];
  };
  return testResults.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, path: name })));
}

export function clientRow(client: SuiteClient, own: readonly Assertion[]): Row {
  const { group, client: name, version, driven } = client;
  const row = { group, client: name, version: version(), ...(driven && { driven }) };
  if (own.length > 0 && own.every(({ status }) => status === 'pending')) {
    return { ...row, checks: [], skipped: client.missing };
  }
  return { ...row, checks: checksOf(client, own, name) };
}

function checksOf({ file }: SuiteTests, own: readonly Assertion[], client: string): Check[] {
  if (own.length === 0) return [{ what: 'its tests', passed: false, why: `none in ${file}` }];
  return own.filter(({ status }) => status !== 'pending').map((test) => checkOf(test, client));
}

/** The name of the client stands in the first column already. */
function checkOf({ title, status, failureMessages }: Assertion, client: string): Check {
  const named = new RegExp(`^${client.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( \\([^)]*\\))? `);
  const what = title.replace(named, '');
  const [why = ''] = failureMessages;
  return status === 'passed' ? { what, passed: true } : { what, passed: false, why };
}
