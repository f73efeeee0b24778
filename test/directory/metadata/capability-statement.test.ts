// fhir-stu3, CapabilityStatement and discovery: every claim compared with what answers.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { edition } from '../../support/directory/edition.ts';
import { scanSnapshot } from '../../support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '../../support/directory/service.ts';

interface Claimed {
  type: string;
  interaction: { code: string }[];
  searchParam: { name: string; type: string; definition?: string; documentation: string }[];
  conditionalRead: string;
  versioning: string;
  profile: { reference: string };
}

let directory: RunningDirectory;
// biome-ignore lint/suspicious/noExplicitAny: the statement is read as any client reads it
let statement: any;
let resources: Claimed[];
beforeAll(async () => {
  const snapshot = scanSnapshot('edition-1', edition());
  directory = await startDirectory({
    current: () => snapshot,
    byId: async () => undefined,
    createdAt: () => '2026-11-02T05:00:00Z',
  });
  statement = await directory.client().capabilityStatement();
  resources = statement.rest[0].resource;
});
afterAll(() => directory.stop());

const get = (path: string) => request(directory.address).get(path).set('Authorization', 'Bearer both');

describe('fhir-stu3 CapabilityStatement', () => {
  it('has what STU3 requires', () => {
    expect(statement).toMatchObject({
      resourceType: 'CapabilityStatement',
      status: 'active',
      date: '2026-11-02T05:00:00Z',
      kind: 'instance',
      fhirVersion: '3.0.2',
      acceptUnknown: 'no',
      format: ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'],
      software: { name: 'Hygie', version: '0.1.0' },
      implementation: { url: directory.base },
      rest: [{ mode: 'server', security: { cors: true } }],
    });
    expect(JSON.stringify(statement)).not.toMatch(/:(\[\]|\{\}|""|null)/);
  });

  it("tells the directory's freshness", () => {
    expect(statement.implementation.description).toMatch(
      /edition-1, loaded 2026-11-02T05:00:00Z: 128 practitioners, 4 organizations/,
    );
  });

  it('names the types with their profile, versioning and permission', () => {
    expect(resources.map(({ type }) => type)).toEqual([
      'Practitioner',
      'Organization',
      'PractitionerRole',
      'SearchParameter',
    ]);
    for (const { type, profile, versioning, conditionalRead } of resources) {
      expect(profile.reference).toBe(`http://hl7.org/fhir/StructureDefinition/${type}`);
      expect([versioning, conditionalRead]).toEqual(['versioned', 'full-support']);
    }
    expect(statement.rest[0].security.description).toContain('PRACTITIONER_READ');
  });

  it('SMART: the oauth-uris extension, as fhir-kit-client reads it', async () => {
    const { authorizeUrl, tokenUrl } = await directory.client().smartAuthMetadata();
    expect(String(authorizeUrl)).toBe('https://connect.example/authorize');
    expect(String(tokenUrl)).toBe('https://connect.example/oauth/token');
  });

  it('2.3 and 2.4 every search key of the specification is claimed', () => {
    const names = resources.map(({ searchParam }) => searchParam.map(({ name }) => name));
    expect(names[0]).toEqual(expect.arrayContaining(['name', 'identifier', 'qualification', 'address', 'telecom']));
    expect(names[1]).toEqual(expect.arrayContaining(['name', 'identifier', 'address', 'part-of']));
  });

  it('8 the 2-character rule of name is documented', () => {
    for (const { searchParam } of resources.slice(0, 2))
      expect(searchParam.find(({ name }) => name === 'name')?.documentation).toContain('At least 2 characters');
  });

  it('every claimed search parameter answers, and every one that is not claimed is refused', async () => {
    const all = new Map(resources.flatMap(({ searchParam }) => searchParam.map(({ name, type }) => [name, type])));
    for (const { type, searchParam } of resources) {
      for (const [name, form] of all) {
        const claimed = searchParam.some((parameter) => parameter.name === name);
        const answer = await get(`/${type}?${name}=${form === 'date' ? '2026' : 'true'}`);
        expect([type, name, answer.status]).toEqual([type, name, claimed ? 200 : 400]);
      }
    }
  });

  it('every claimed interaction answers', async () => {
    const ids: Record<string, string> = {
      Practitioner: 'prat-1',
      Organization: 'org-1',
      PractitionerRole: 'prat-1-a',
      SearchParameter: 'Organization-part-of',
    };
    const paths: Record<string, string> = { read: '/:id', vread: '/:id/_history/:version', 'search-type': '?_count=1' };
    for (const { type, interaction } of resources) {
      expect(interaction.map(({ code }) => code)).toEqual(['read', 'vread', 'search-type']);
      for (const { code } of interaction) {
        const id = ids[type] ?? '';
        const version = (await get(`/${type}/${id}`)).body.meta.versionId as string;
        const path = paths[code]?.replace(':id', id).replace(':version', version);
        expect((await get(`/${type}${path}`)).status).toBe(200);
      }
    }
  });

  it('every claimed format answers', async () => {
    for (const format of statement.format)
      expect((await get(`/Practitioner/prat-1?_format=${encodeURIComponent(format)}`)).status).toBe(200);
  });
});
