// fhir-stu3: every resource of the shipped edition is valid as STU3 defines it, once imported by the code of `directory
// import`. `npm run validate:directory` does the same for an edition of any size.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EDITION, counts as truth } from '../edition-truth.ts';
import { type Bench, openBench } from '../ingest/register-files.ts';
import { snapshotFaults } from './snapshot-faults.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
  await bench.run([EDITION]);
});
afterAll(() => bench.close());

it('fhir-stu3 every resource of a snapshot is valid by the official definitions', async () => {
  const { counts, faults } = await snapshotFaults(await bench.snapshot());
  expect(Object.fromEntries(faults)).toEqual({});
  expect(counts.Practitioner).toBe(truth.practitioners);
  expect(counts.Organization).toBe(truth.organizations.total);
  expect(counts.PractitionerRole).toBeGreaterThan(truth.practitioners);
});
