// Rows of the clients and proxies that `npm test` drives already: runs those test files and reads jest's own report.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Check, Row } from './driver.ts';
import type { SuiteClient } from './suite-clients.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LONGEST_OUTPUT = 64 * 1024 * 1024;

/** One test in the report. */
interface Assertion {
  title: string;
  fullName: string;
  status: string;
  failureMessages: readonly string[];
}

/** Runs the files that hold tests of the clients; `folder` is for jest's report. */
export async function suiteRows(clients: readonly SuiteClient[], folder: string): Promise<Row[]> {
  if (clients.length === 0) return [];
  const report = join(folder, 'npm-test.json');
  const files = [...new Set(clients.map(({ file }) => file))];
  const arguments_ = ['test', '--', ...files, '--json', `--outputFile=${report}`, '--maxWorkers=1'];
  // A test that fails makes it end with 1, and stands in the report.
  await promisify(execFile)('npm', arguments_, { cwd: ROOT, maxBuffer: LONGEST_OUTPUT }).catch(() => undefined);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { name: string; message: string; assertionResults: Assertion[] }[];
  };
  const tests = testResults.flatMap(({ name, message, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: name, message })),
  );
  return clients.map((client) => {
    const own = tests.filter(({ file, fullName }) => file.includes(client.file) && client.tests.test(fullName));
    const { group, client: name, version } = client;
    const row = { group, client: name, version: version() };
    if (own.length > 0 && own.every(({ status }) => status === 'pending')) {
      return { ...row, checks: [], skipped: client.missing };
    }
    if (own.length === 0)
      return { ...row, checks: [{ what: 'its tests', passed: false, why: `none in ${client.file}` }] };
    return { ...row, checks: own.filter(({ status }) => status !== 'pending').map((test) => checkOf(test, name)) };
  });
}

/** The name of the client stands in the first column already. */
function checkOf({ title, status, failureMessages }: Assertion, client: string): Check {
  const what = title.replace(new RegExp(`^${client.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( \\([^)]*\\))? `), '');
  const [why = ''] = failureMessages;
  return status === 'passed' ? { what, passed: true } : { what, passed: false, why };
}
