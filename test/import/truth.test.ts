// Directory data, section 1: the shipped edition, loaded by the code of `directory import`, against what the generator
// says it holds: every probe exact, every sampled person and structure with equal fields.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '../../src/import/publish/report.ts';
import { tokenKeys } from '../../src/search-index/exact-keys.ts';
import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '../../src/search-index/snapshot.ts';
import { synonymsOf, tokenize } from '../../src/search-index/tokenizer.ts';
import { counts, EDITION, expectPerson, expectStructure, people, structures } from '../support/edition-truth.ts';
import { type Bench, openBench } from '../support/import/register-files.ts';

let bench: Bench;
let report: ImportReport;
let snapshot: Snapshot;

beforeAll(async () => {
  bench = await openBench();
  report = await bench.run([EDITION]);
  snapshot = await bench.snapshot();
});
afterAll(() => bench.close());

async function total(type: ResourceType, field: string, probe: string, whole: readonly string[]): Promise<number> {
  const anyOf = [tokenize(probe).map((prefix) => ({ prefix, whole }))];
  return (
    (await snapshot.search({ type, clauses: [{ field, match: 'words', anyOf }], limit: 0, total: true })).total ?? -1
  );
}

async function byIdentifier(type: ResourceType, system: string, value: string) {
  const [, key] = tokenKeys({ system, value });
  const page = await snapshot.search({
    type,
    clauses: [{ field: 'identifier', match: 'exact', anyOf: [key] }],
    limit: 5,
    total: true,
  });
  expect(page.total).toBe(1);
  return JSON.parse(page.matches[0]?.json ?? '{}');
}

describe('directory data 1: the shipped edition', () => {
  it('holds every person and every structure', () => {
    expect(report.outcome).toBe('imported');
    expect(report.resources.Practitioner).toBe(counts.practitioners);
    expect(report.resources.Organization).toBe(counts.organizations.total);
    expect(report.linesLeftOut.count).toBe(0);
  });

  it.each(Object.entries(counts.practitionerName))('finds names that begin with "%s": %i', async (probe, hits) => {
    expect(await total('Practitioner', 'name', probe, [])).toBe(hits);
  });

  it.each(Object.entries(counts.practitionerAddress))('finds addresses with "%s": %i', async (probe, hits) => {
    expect(await total('Practitioner', 'address', probe, synonymsOf(probe))).toBe(hits);
  });

  it.each(Object.entries(counts.organizationName))('finds structures with "%s": %i', async (probe, hits) => {
    expect(await total('Organization', 'name', probe, synonymsOf(probe))).toBe(hits);
  });

  it('holds the sampled persons with equal fields', async () => {
    for (const truth of people) {
      expectPerson(await byIdentifier('Practitioner', 'urn:oid:1.2.250.1.71.4.2.1', truth.idnps), truth);
    }
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

  it('holds the sampled structures with equal fields', async () => {
    for (const truth of structures) {
      expectStructure(JSON.parse((await snapshot.read('Organization', truth.technicalId))?.json ?? '{}'), truth);
    }
  });

  it('holds nothing empty, and every resource has what STU3 asks of it', async () => {
    for (const type of RESOURCE_TYPES) {
      const { matches } = await snapshot.search({ type, clauses: [], limit: 5000, total: false });
      expect(matches).toHaveLength(report.resources[type]);
      const faults = matches.flatMap(({ json, id }) => {
        const resource = JSON.parse(json);
        const found = emptyParts(resource);
        if (!/^[A-Za-z0-9.-]{1,64}$/.test(id)) found.push('the id');
        if (type === 'Organization') {
          if (!(resource.name ?? resource.identifier?.[0]?.value)) found.push('neither name nor identifier');
          if (!Array.isArray(resource.type ?? [])) found.push('the type is no array');
        }
        return found.map((fault) => `${id}: ${fault}`);
      });
      expect(faults).toEqual([]);
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

/** Paths of empty strings, arrays, objects and nulls, none of which FHIR allows. */
function emptyParts(value: unknown, path = ''): string[] {
  if (value === null || (typeof value === 'string' && value.trim() !== value) || value === '') return [path];
  if (typeof value !== 'object') return [];
  const members = Object.entries(value as Record<string, unknown>);
  return members.length === 0 ? [path] : members.flatMap(([name, member]) => emptyParts(member, `${path}.${name}`));
}
