// fhir-stu3: an invalid answer of a directory fails the test that received it, and no other.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
/** A second jest starts, and loads the definitions of STU3. */
const NESTED_RUN_TIMEOUT = 120_000;

interface Results {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planted-answer-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it(
  'fhir-stu3 a planted invalid answer fails exactly the tests that received it',
  async () => {
    const { jest } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const { transform, extensionsToTreatAsEsm, setupFilesAfterEnv } = jest;
    const config = {
      ...{ rootDir: ROOT, transform, extensionsToTreatAsEsm, setupFilesAfterEnv },
      testMatch: ['<rootDir>/test/support/fhir/planted-answer.ts'],
    };
    const output = join(folder, 'results.json');
    const jestArguments = ['--config', JSON.stringify(config), '--runInBand', '--json', `--outputFile=${output}`];
    const bin = join(ROOT, 'node_modules/jest/bin/jest.js');
    await promisify(execFile)(process.execPath, ['--experimental-vm-modules', bin, ...jestArguments], {
      cwd: ROOT,
    }).catch(() => undefined);
    const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Results;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(tests.map(({ title, status }) => [title, status])).toEqual([
      ['receives a valid answer', 'passed'],
      ['receives an invalid answer', 'failed'],
      ['receives the same invalid answer', 'failed'],
      ['receives nothing', 'passed'],
    ]);
    expect(tests[1]?.failureMessages.join()).toMatch(/GET \/directory\/v2\/planted \(200\): .*gender/);
  },
  NESTED_RUN_TIMEOUT,
);
