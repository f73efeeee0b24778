// Specification 2.3, 2.4, 4.5 on the shipped edition: every probe of the generator counted exactly over HTTP, pages walked to
// the end, and every sampled person and structure found by each of its keys.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'fhir-kit-client';
import { entriesOf, idsOf, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { counts, expectPerson, expectStructure, people, structures, type TruePerson } from '#support/edition-truth.ts';
import { openedForAll } from '#support/opened.ts';
import { someOf } from '#support/seed.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';

const NATIONAL = 'urn:oid:1.2.250.1.71.4.2.1';
// As the specification shows it (2.3), and as the resources carry it.
const RPPS = '://hygie.example/fhir/Identifier/practitioner-rpps';

let client: Client;

type Query = Record<string, string>;

const search = (resourceType: string, searchParams: Query) => client.search({ resourceType, searchParams });

/** Ids of all pages, each read through the link of the one before. */
async function walk(resourceType: string, searchParams: Query): Promise<string[]> {
  const pages = await pagesFrom(client, await search(resourceType, { ...searchParams, _count: '200' }));
  expect(new Set(pages.map(({ total }) => total)).size).toBe(1);
  return pages.flatMap((page) => idsOf(page));
}

/** Names that have the word as initials with dots. The truth counts words alone. */
const WITH_DOTS: Record<string, number> = { ehpad: 4 };

const PROBES = [
  ...Object.entries(counts.practitionerName).map(([probe, hits]) => ['Practitioner', 'name', probe, hits]),
  ...Object.entries(counts.practitionerAddress).map(([probe, hits]) => ['Practitioner', 'address', probe, hits]),
  ...Object.entries(counts.organizationName).map(([probe, hits]) => [
    'Organization',
    'name',
    probe,
    hits + (WITH_DOTS[probe] ?? 0),
  ]),
] as [type: string, name: string, probe: string, hits: number][];

describe('the shipped edition over HTTP', () => {
  const snapshot = openedForAll(openShippedSnapshot);

  const directory = openedForAll(() => startDirectory(snapshot, { namespace: NAMESPACE }));

  beforeAll(() => {
    client = new Client({
      baseUrl: directory.address,
      bearerToken: 'both',
      // A thousand answers: packing and unpacking them is `../middleware/answers.test.ts`'s.
      customHeaders: { 'Accept-Encoding': 'identity' },
    });
  });

  it.each(
    someOf(
      PROBES.filter(([, name, probe]) => name === 'address' || probe.length > 1),
      2,
    ),
  )('%s by %s "%s": exactly %i, on all pages together', async (type, name, probe, hits) => {
    const ids = await walk(type, { [name]: probe });
    expect(ids).toHaveLength(hits);
    expect(new Set(ids).size).toBe(hits);
    expect((await search(type, { [name]: probe, _summary: 'count' }))['total']).toBe(hits);
  });

  it('4.5 everybody, walked to the end in alphabetical order', async () => {
    const ids = await walk('Practitioner', {});
    expect(new Set(ids).size).toBe(counts.practitioners);
    expect(await walk('Organization', {})).toHaveLength(counts.organizations.total);
  });

  const fifth = someOf(people, 5);
  const tenth = someOf(people, 10);
  // People are asked for by the number that everybody has. The other ways to write it, or the other number, differ in the query
  // alone: `../../import/mapping` checks the keys of each resource, and fewer people reach them all.
  it.each<[of: string, shape: string, some: readonly TruePerson[], identifierOf: (person: TruePerson) => string]>([
    ['every fifth', 'RPPS with the system that the specification shows', fifth, ({ rpps }) => `http${RPPS}|${rpps}`],
    ['every tenth', 'RPPS with the system that the resource carries', tenth, ({ rpps }) => `https${RPPS}|${rpps}`],
    ['every tenth', 'RPPS without system', tenth, ({ rpps }) => rpps],
    ['every tenth', 'national identifier with system', tenth, ({ idnps }) => `${NATIONAL}|${idnps}`],
    ['every tenth', 'national identifier without system', tenth, ({ idnps }) => idnps],
  ])('4.5 %s sampled person by %s, with equal fields', async (_of, _shape, some, identifierOf) => {
    expect(people).toHaveLength(500);
    for (const person of some) {
      const bundle = await search('Practitioner', { identifier: identifierOf(person) });
      expect(bundle['total']).toBe(1);
      expectPerson(entriesOf(bundle)[0]?.resource, person);
    }
  });

  it.each([
    ['RPPS', 'the national identifier', ({ rpps }: TruePerson) => `${NATIONAL}|${rpps}`],
    ['the national identifier', 'RPPS', ({ idnps }: TruePerson) => `http${RPPS}|${idnps}`],
  ])('4.5 %s under the system of %s finds nobody', async (_number, _system, identifierOf) => {
    for (const person of people.slice(0, 20)) {
      expect((await search('Practitioner', { identifier: identifierOf(person) }))['total']).toBe(0);
    }
  });

  it('2.3 every twentieth sampled person by name with each further key', async () => {
    for (const { idnps, family, given, qualifications, telecom, addresses } of someOf(people, 20)) {
      const name = `${given} ${family}`;
      const queries: Query[] = [
        { name },
        ...qualifications.flatMap(({ code, label }) => [
          { name, qualification: code },
          { name, qualification: label.replaceAll(/[,|$\\]/g, '\\$&') },
        ]),
        ...addresses.map(({ street, postalCode }) => ({ name, address: `${street} ${postalCode}` })),
        ...telecom.flatMap((address) => [{ telecom: address }, { telecom: address.toUpperCase() }]),
        ...telecom.flatMap((address) => [{ email: address }, { 'mailbox-mss': address }]),
      ];
      for (const query of queries) {
        const ids = idsOf(await search('Practitioner', { ...query, _count: '200' }));
        expect([query, ids.includes(idnps)]).toEqual([query, true]);
      }
    }
  });

  it('2.4 every fourth sampled structure by identifier, address, parent and contacts, with equal fields', async () => {
    for (const truth of someOf(structures, 4)) {
      const { technicalId, name, finess, siret, postalCode, partOfFinessEj, phone, telecom } = truth;
      const queries: Query[] = [
        ...(finess === '' ? [] : [{ identifier: finess }, { identifier: `https://finess.esante.gouv.fr|${finess}` }]),
        ...(siret === '' ? [] : [{ identifier: siret }]),
        ...(postalCode === '' ? [] : [{ name, address: postalCode }]),
        ...(partOfFinessEj === '' ? [] : [{ 'part-of': `Organization/F${partOfFinessEj}` }]),
        ...(phone === ''
          ? []
          : [{ telecom: phone }, { phone, name }, { telecom: `phone|${phone.replace(/^0(?=[1-9])/, '+33 ')}` }]),
        ...telecom.flatMap((address) => [{ telecom: address }, { email: address }, { 'mailbox-mss': address }]),
      ];
      for (const query of queries) {
        const ids = idsOf(await search('Organization', { ...query, _count: '200' }));
        expect([query, ids.includes(technicalId)]).toEqual([query, true]);
      }
      expectStructure(await client.read({ resourceType: 'Organization', id: technicalId }), truth);
    }
  });
});
