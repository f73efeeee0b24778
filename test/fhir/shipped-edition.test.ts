// fhir-stu3: every resource of the shipped edition is valid by the official definitions, once imported (`npm run
// validate:directory` does the same for an edition of any size); and XML is valid by structure and says what the JSON says:
// read back by npm `fhir`, it is the same resource. An invalid answer of a directory fails the test that received it.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeXml } from '#directory/format/xml/write-xml.ts';
import { RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { counts as truth } from '#support/edition-truth.ts';
import { snapshotErrors } from '#support/fhir/snapshot-errors.ts';
import { xmlErrors } from '#support/fhir/xml-errors.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('fhir-stu3: the shipped edition', () => {
  const shipped = openedForAll(openShippedSnapshot);

  it('fhir-stu3 every resource of a snapshot is valid by the official definitions', async () => {
    const { counts, errors } = await snapshotErrors(shipped);
    expect(Object.fromEntries(errors)).toEqual({});
    expect(counts.Practitioner).toBe(truth.practitioners);
    expect(counts.Organization).toBe(truth.organizations.total);
    expect(counts.PractitionerRole).toBeGreaterThan(truth.practitioners);
  });

  describe('fhir-stu3 XML', () => {
    it.each(RESOURCE_TYPES)(
      '%s of the shipped edition are valid by structure and equal to their JSON',
      async (type) => {
        const { matches } = await shipped.search({ type, clauses: [], limit: 250, total: false });
        for (const { json } of matches) {
          const resource = JSON.parse(json);
          expect(xmlErrors(writeXml(resource, { pretty: false }))).toEqual({ resource, errors: [] });
        }
        expect(matches).toHaveLength(250);
      },
    );
  });

  describe('fhir-stu3 XML: the validator finds', () => {
    const document = (inside: string, root = 'Practitioner xmlns="http://hl7.org/fhir"') =>
      `<?xml version="1.0" encoding="UTF-8"?><${root}>${inside}</${root.split(' ')[0]}>`;

    it('nothing wrong in what is right', () => {
      expect(xmlErrors(document('<id value="a"/><active value="true"/>')).errors).toEqual([]);
    });

    it.each([
      ['elements in the wrong order', document('<active value="true"/><id value="a"/>')],
      ['elements in the wrong order inside', document('<name><given value="A"/><family value="B"/></name>')],
      ['an unknown element', document('<surname value="a"/>')],
      ['a text instead of a value', document('<id>a</id>')],
      ['an element without anything', document('<active/>')],
      ['another namespace', document('<id value="a"/>', 'Practitioner xmlns="http://hl7.org/fhir/STU3"')],
      ['no namespace', document('<id value="a"/>', 'Practitioner')],
      ['an open tag', '<Practitioner xmlns="http://hl7.org/fhir">'],
      ['an unescaped &', document('<language value="a & b" />')],
      [
        'two resources in one entry',
        document(
          '<type value="collection"/><entry><resource><Binary/><Binary/></resource></entry>',
          'Bundle xmlns="http://hl7.org/fhir"',
        ),
      ],
    ])('%s', (_what, text) => {
      expect(xmlErrors(text).errors).not.toEqual([]);
    });
  });
});

// fhir-stu3: an invalid answer of a directory fails the test that received it, and no other.
describe('fhir-stu3: planted answers', () => {
  const ROOT = join(import.meta.dirname, '../..');
  /** A second jest starts, and loads the definitions of STU3. */
  const NESTED_RUN_TIMEOUT = 120_000;

  interface Results {
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
  }

  let folder: string;
  beforeAll(async () => {
    folder = newFolder();
  });

  it(
    'fhir-stu3 a planted invalid answer fails exactly the tests that received it',
    async () => {
      const { jest } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
      const { roots, transform, extensionsToTreatAsEsm, setupFilesAfterEnv } = jest;
      const config = {
        rootDir: ROOT,
        roots,
        transform,
        extensionsToTreatAsEsm,
        setupFilesAfterEnv,
        testMatch: ['<rootDir>/test/support/fhir/planted-answer.ts'],
      };
      const output = join(folder, 'results.json');
      const jestArguments = ['--config', JSON.stringify(config), '--runInBand', '--json', `--outputFile=${output}`];
      const bin = join(ROOT, 'node_modules/jest/bin/jest.js');
      const ended = await promisify(execFile)(process.execPath, ['--experimental-vm-modules', bin, ...jestArguments], {
        cwd: ROOT,
      }).catch((error: { stderr: string }) => error);
      const results = await readFile(output, 'utf8').catch(() => {
        throw new Error(`Jest wrote no results:\n${ended.stderr}`);
      });
      const { testResults } = JSON.parse(results) as Results;
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
});
