// fhir-stu3, CapabilityStatement and discovery: every claim compared with what answers.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { edition } from '#support/directory/edition.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';

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

  it('has no text that validators take for HTML, nor have definitions and refusals', async () => {
    const texts = [JSON.stringify(statement)];
    for (const path of ['/SearchParameter', '/Practitioner', '/Organization?part-of=x/y/z', '/nothing'])
      texts.push(await (await fetch(directory.address + path)).text());
    const part = await fetch(`${directory.address}/Organization?part-of=a%20b`, {
      headers: { authorization: 'Bearer both' },
    });
    texts.push(await part.text());
    for (const text of texts) expect(text).not.toMatch(/<[a-z/!]/i);
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

  it('2.3 and 2.4 every search key of the specification is claimed', () => {
    const names = resources.map(({ searchParam }) => searchParam.map(({ name }) => name));
    expect(names[0]).toEqual(expect.arrayContaining(['name', 'identifier', 'qualification', 'address', 'telecom']));
    expect(names[1]).toEqual(expect.arrayContaining(['name', 'identifier', 'address', 'part-of']));
  });
});
