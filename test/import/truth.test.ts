// Directory data, section 1: the shipped edition, loaded by the code of `directory import`, against what the generator
// states of it: counts and references. Searches and fields are compared over HTTP (`directory/search/truth.test.ts`).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { counts, EDITION, people } from '#support/edition-truth.ts';
import { type Bench, openBench } from '#support/import/register-files.ts';

let bench: Bench;
let report: ImportReport;
let snapshot: Snapshot;

beforeAll(async () => {
  bench = await openBench();
  report = await bench.run([EDITION]);
  snapshot = await bench.snapshot();
});
afterAll(() => bench.close());

describe('directory data 1: the shipped edition', () => {
  it('holds every person and every structure', () => {
    expect(report.outcome).toBe('imported');
    expect(report.resources.Practitioner).toBe(counts.practitioners);
    expect(report.resources.Organization).toBe(counts.organizations.total);
    expect(report.linesLeftOut.count).toBe(0);
  });

  it('gives every sampled person the roles at the structures', async () => {
    for (const truth of people) {
      const clause = { field: 'practitioner', match: 'exact', anyOf: [`Practitioner/${truth.idnps}`] } as const;
      const page = await snapshot.search({ type: 'PractitionerRole', clauses: [clause], limit: 50, total: true });
      const found = page.matches.map((match) => JSON.parse(match.json).organization.reference);
      const expectedIds = truth.organizations.map((one) => `Organization/${one.technicalId}`);
      expect(new Set(found)).toEqual(new Set(expectedIds));
    }
  });

  it('gives every establishment a legal entity that is there', async () => {
    const { matches } = await snapshot.search({ type: 'Organization', clauses: [], limit: 2000, total: false });
    const ids = new Set(matches.map((match) => match.id));
    const parents = matches.map((match) => JSON.parse(match.json).partOf?.reference).filter(Boolean);
    expect(parents.length).toBeGreaterThan(100);
    for (const parent of parents) expect(ids).toContain(parent.slice('Organization/'.length));
  });
});
