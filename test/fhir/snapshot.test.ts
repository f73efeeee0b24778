// fhir-stu3: every resource of the shipped edition is valid as STU3 defines it, once imported by the code of `directory
// import`. `npm run validate:directory` does the same for an edition of any size.

import { expect, it } from '@jest/globals';
import { counts as truth } from '#support/edition-truth.ts';
import { snapshotErrors } from '#support/fhir/snapshot-errors.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

it('fhir-stu3 every resource of a snapshot is valid by the official definitions', async () => {
  const snapshot = await openShippedSnapshot();
  const { counts, errors } = await snapshotErrors(snapshot);
  await snapshot.close();
  expect(Object.fromEntries(errors)).toEqual({});
  expect(counts.Practitioner).toBe(truth.practitioners);
  expect(counts.Organization).toBe(truth.organizations.total);
  expect(counts.PractitionerRole).toBeGreaterThan(truth.practitioners);
});
