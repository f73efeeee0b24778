// Directory import: what can become one resource meets in one bucket, from a register and as FHIR alike; and ids of roles are
// FHIR ids whatever the national identifier is.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import { bucketOfPerson, bucketOfResource } from '#import/passes/person-bucket.ts';
import { activity, HEADERS } from '#support/import/register-files.ts';
import '#support/seed.ts';

const nationalId = fc.stringMatching(/^\d[0-9A-Za-z/.-]{3,80}$/);
const row = (cells: Record<number, string>) => HEADERS.activities.split('|').map((_, column) => cells[column] ?? '');

describe('import: one bucket for one resource', () => {
  it('for any national identifier and any role', () => {
    fc.assert(
      fc.property(nationalId, fc.string(), fc.constantFrom(1, 2, 7, 192), (national, structure, buckets) => {
        const bytes = Buffer.from(`|${national}|`);
        const bucket = bucketOfPerson(bytes, 1, 1 + national.length, buckets);
        const id = practitionerId(national);
        expect(bucketOfResource('Practitioner', id, buckets)).toBe(bucket);
        const roles = mapRoles(
          id,
          [row(activity({ 2: national, 23: structure })), row(activity({ 17: 'S', 23: '' }))],
          createConcepts(),
        );
        expect(roles.length).toBeGreaterThan(0);
        for (const role of roles) {
          expect(role.id).toMatch(/^[A-Za-z0-9.-]{1,64}$/);
          expect(bucketOfResource('PractitionerRole', role.id, buckets)).toBe(bucket);
        }
      }),
      { numRuns: 500 },
    );
  });
});
