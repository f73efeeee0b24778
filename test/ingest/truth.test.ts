// Directory data, section 1: the shipped edition, loaded by the code of `directory import`, against what the generator
// says it holds: every probe exact, every sampled person and structure with equal fields.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '../../src/ingest/report.ts';
import { tokenKeys } from '../../src/shared/index-keys.ts';
import { equivalentsOf, wordsOf } from '../../src/shared/words.ts';
import { RESOURCE_TYPES, type ResourceType, type Snapshot } from '../../src/store/directory/snapshot.ts';
import { type Bench, openBench } from './register-files.ts';

const EDITION = join(import.meta.dirname, '../../seeds/edition');
const TRUTH = join(import.meta.dirname, '../fixtures/edition');
const read = (name: string) => gunzipSync(readFileSync(join(TRUTH, `${name}.gz`))).toString('utf8');
const ndjson = (name: string) =>
  read(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const counts = JSON.parse(read('truth_counts.json'));

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
  const anyOf = [wordsOf(probe).map((prefix) => ({ prefix, whole }))];
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

  it.each(Object.entries<number>(counts.practitionerName))(
    'finds names that begin with "%s": %i',
    async (probe, hits) => {
      expect(await total('Practitioner', 'name', probe, [])).toBe(hits);
    },
  );

  it.each(Object.entries<number>(counts.practitionerAddress))('finds addresses with "%s": %i', async (probe, hits) => {
    expect(await total('Practitioner', 'address', probe, equivalentsOf(probe))).toBe(hits);
  });

  it.each(Object.entries<number>(counts.organizationName))('finds structures with "%s": %i', async (probe, hits) => {
    expect(await total('Organization', 'name', probe, equivalentsOf(probe))).toBe(hits);
  });

  it('holds the sampled persons with equal fields', async () => {
    for (const truth of ndjson('truth.ndjson')) {
      const found = await byIdentifier('Practitioner', 'urn:oid:1.2.250.1.71.4.2.1', truth.idnps);
      expect(found.id).toBe(truth.idnps);
      expect(found.name).toEqual([
        { use: 'official', family: truth.family, given: [truth.given], prefix: [truth.prefix || truth.civilite] },
      ]);
      expect(found.identifier.map((identifier: { value: string }) => identifier.value)).toContain(truth.rpps);
      expect(new Set(found.telecom?.map((contact: { value: string }) => contact.value))).toEqual(
        new Set(truth.telecom),
      );
      const codings = found.qualification.flatMap((one: { code: { coding: unknown[] } }) => one.code.coding);
      for (const { code, label } of truth.qualifications) {
        expect(codings).toContainEqual(expect.objectContaining({ code, display: label }));
      }
      expect(codings).toContainEqual(expect.objectContaining({ code: truth.category }));
      expect(truth.addresses.filter((address: TruthAddress) => !(found.address ?? []).some(holds(address)))).toEqual(
        [],
      );
      expect(found.address?.length ?? 0).toBeLessThanOrEqual(truth.addresses.length);
    }
  });

  it('gives every sampled person the roles at the structures', async () => {
    for (const truth of ndjson('truth.ndjson')) {
      const clause = { field: 'practitioner', match: 'exact', anyOf: [`Practitioner/${truth.idnps}`] } as const;
      const page = await snapshot.search({ type: 'PractitionerRole', clauses: [clause], limit: 50, total: true });
      const structures = page.matches.map((match) => JSON.parse(match.json).organization.reference);
      const expectedIds = truth.organizations.map((one: { technicalId: string }) => `Organization/${one.technicalId}`);
      expect(new Set(structures)).toEqual(new Set(expectedIds));
    }
  });

  it('holds the sampled structures with equal fields', async () => {
    for (const truth of ndjson('truth_organizations.ndjson')) {
      const found = JSON.parse((await snapshot.read('Organization', truth.technicalId))?.json ?? '{}');
      expect(found.name).toBe(truth.name);
      const values = found.identifier.map((identifier: { value: string }) => identifier.value);
      for (const value of [truth.siret, truth.finess, truth.oldId]) if (value !== '') expect(values).toContain(value);
      expect(found.partOf?.reference).toBe(
        truth.partOfFinessEj === '' ? undefined : `Organization/F${truth.partOfFinessEj}`,
      );
      const contacts = found.telecom?.map((contact: { value: string }) => contact.value) ?? [];
      for (const address of truth.telecom) expect(contacts).toContain(address);
      expect(found.address[0].postalCode).toBe(truth.postalCode);
      expect(found.address[0].line).toContain(truth.bureauCedex);
      expect(found.address[0].extension[0].valueCoding.code).toBe(truth.insee);
    }
  });

  it('holds nothing empty, and every resource has what STU3 asks of it', async () => {
    for (const type of RESOURCE_TYPES) {
      const { matches } = await snapshot.search({ type, clauses: [], limit: 5000, total: false });
      expect(matches).toHaveLength(report.resources[type]);
      for (const { json, id } of matches) {
        const resource = JSON.parse(json);
        expect([id, emptyParts(resource)]).toEqual([id, []]);
        expect(id).toMatch(/^[A-Za-z0-9.-]{1,64}$/);
        if (type === 'Organization') {
          expect(resource.name ?? resource.identifier?.[0]?.value).toBeTruthy();
          expect(Array.isArray(resource.type ?? [])).toBe(true);
        }
      }
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

interface TruthAddress {
  street: string;
  distribution: string;
  bureauCedex: string;
  postalCode: string;
  insee: string;
  city: string;
}

interface FoundAddress {
  line: string[];
  postalCode?: string;
  city?: string;
  extension?: { valueCoding: { code: string } }[];
}

/** Whether an address is the expected one; lines above the street are not named by the truth. */
function holds(truth: TruthAddress): (found: FoundAddress) => boolean {
  const lines = [truth.street, truth.distribution, truth.bureauCedex].filter(Boolean);
  return ({ line, postalCode = '', city = '', extension }) =>
    lines.join('|') === line.slice(-lines.length).join('|') &&
    postalCode === truth.postalCode &&
    city === truth.city &&
    (extension?.[0]?.valueCoding.code ?? '') === truth.insee;
}
