// Specification 2.3, 2.4, 4.5 on the shipped edition: every probe of the generator counted exactly over HTTP, pages walked to
// the end, and every sampled person and structure found by each of its keys.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'fhir-kit-client';
import { type Bench, openBench } from '../ingest/register-files.ts';
import { idsOf, issuesOf, refusalOf } from './reading.ts';
import { type RunningDirectory, startDirectory } from './service.ts';

const EDITION = join(import.meta.dirname, '../../seeds/edition');
const TRUTH = join(import.meta.dirname, '../fixtures/edition');
const read = (name: string) => gunzipSync(readFileSync(join(TRUTH, `${name}.gz`))).toString('utf8');
const lines = (name: string) =>
  read(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const counts = JSON.parse(read('truth_counts.json'));
const people: Person[] = lines('truth.ndjson');
const structures: Structure[] = lines('truth_organizations.ndjson');

interface Person {
  rpps: string;
  idnps: string;
  family: string;
  given: string;
  qualifications: { code: string; label: string }[];
  telecom: string[];
  addresses: { street: string; postalCode: string; city: string }[];
}

interface Structure {
  technicalId: string;
  name: string;
  finess: string;
  siret: string;
  postalCode: string;
  city: string;
  partOfFinessEj: string;
}

let bench: Bench;
let directory: RunningDirectory;
let client: Client;

beforeAll(async () => {
  bench = await openBench();
  await bench.run([EDITION]);
  directory = await startDirectory(await bench.snapshot());
  client = directory.client();
});
afterAll(async () => {
  await directory.stop();
  await bench.close();
});

type Query = Record<string, string>;

const search = (resourceType: string, searchParams: Query) => client.search({ resourceType, searchParams });

/** Ids of all pages, each read through the link of the one before. */
async function walk(resourceType: string, searchParams: Query): Promise<string[]> {
  const ids: string[] = [];
  let bundle = await search(resourceType, { ...searchParams, _count: '200' });
  const total = bundle['total'];
  for (;;) {
    ids.push(...idsOf(bundle));
    expect(bundle['total']).toBe(total);
    const next = await client.nextPage({ bundle: bundle as never });
    if (!next) return ids;
    bundle = next;
  }
}

const PROBES = [
  ...Object.entries<number>(counts.practitionerName).map(([probe, hits]) => ['Practitioner', 'name', probe, hits]),
  ...Object.entries<number>(counts.practitionerAddress).map(([probe, hits]) => [
    'Practitioner',
    'address',
    probe,
    hits,
  ]),
  ...Object.entries<number>(counts.organizationName).map(([probe, hits]) => ['Organization', 'name', probe, hits]),
] as [type: string, name: string, probe: string, hits: number][];

describe('the shipped edition over HTTP', () => {
  it.each(PROBES.filter(([, name, probe]) => name === 'address' || probe.length > 1))(
    '%s by %s "%s": exactly %i, on all pages together',
    async (type, name, probe, hits) => {
      const ids = await walk(type, { [name]: probe });
      expect(ids).toHaveLength(hits);
      expect(new Set(ids).size).toBe(hits);
      expect((await search(type, { [name]: probe, _summary: 'count' }))['total']).toBe(hits);
    },
  );

  it('2.3 the probe of one character is too short for a name', async () => {
    const refused = await refusalOf(search('Practitioner', { name: 'd' }));
    expect(issuesOf(refused)[0]?.location).toEqual(['http.name']);
  });

  it('4.5 everybody, walked to the end in alphabetical order', async () => {
    const ids = await walk('Practitioner', {});
    expect(new Set(ids).size).toBe(counts.practitioners);
    expect(await walk('Organization', {})).toHaveLength(counts.organizations.total);
  });

  it('2.3 every sampled person by RPPS and national identifier, with and without system', async () => {
    for (const { rpps, idnps } of people) {
      const national = `urn:oid:1.2.250.1.71.4.2.1|${idnps}`;
      const [found] = await Promise.all([
        search('Practitioner', { identifier: national }),
        ...[rpps, idnps].map(async (identifier) => {
          expect(idsOf(await search('Practitioner', { identifier }))).toEqual([idnps]);
        }),
      ]);
      expect(idsOf(found)).toEqual([idnps]);
    }
  });

  it('2.3 every fourth sampled person by name with each further key', async () => {
    const some = people.filter((_, at) => at % 4 === 0);
    for (const { idnps, family, given, qualifications, telecom, addresses } of some) {
      const name = `${given} ${family}`;
      const queries: Query[] = [
        { name },
        ...qualifications.flatMap(({ code, label }) => [
          { name, qualification: code },
          { name, qualification: label.replaceAll(/[,|$\\]/g, '\\$&') },
        ]),
        ...addresses.map(({ street, postalCode }) => ({ name, address: `${street} ${postalCode}` })),
        ...telecom.flatMap((address) => [{ telecom: address }, { telecom: address.toUpperCase() }]),
      ];
      for (const query of queries) {
        const ids = idsOf(await search('Practitioner', { ...query, _count: '200' }));
        expect([query, ids.includes(idnps)]).toEqual([query, true]);
      }
    }
  });

  it('2.4 every sampled structure by identifier, address and parent', async () => {
    for (const { technicalId, name, finess, siret, postalCode, partOfFinessEj } of structures) {
      const queries: Query[] = [
        ...(finess === '' ? [] : [{ identifier: finess }, { identifier: `https://finess.esante.gouv.fr|${finess}` }]),
        ...(siret === '' ? [] : [{ identifier: siret }]),
        ...(postalCode === '' ? [] : [{ name, address: postalCode }]),
        ...(partOfFinessEj === '' ? [] : [{ 'part-of': `Organization/F${partOfFinessEj}` }]),
      ];
      for (const query of queries) {
        const ids = idsOf(await search('Organization', { ...query, _count: '200' }));
        expect([query, ids.includes(technicalId)]).toEqual([query, true]);
      }
    }
  });
});
