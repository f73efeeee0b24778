// What the generator says the shipped edition holds, and the comparison of a resource with it, field by field.
// Does not own how a resource is reached: from the store (`ingest/truth.test.ts`), over HTTP (`directory/truth.test.ts`).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';

/** Folder of the shipped edition. */
export const EDITION = join(import.meta.dirname, '../seeds/edition');

export interface TruePerson {
  rpps: string;
  idnps: string;
  family: string;
  given: string;
  prefix: string;
  civilite: string;
  category: string;
  qualifications: { code: string; label: string }[];
  telecom: string[];
  addresses: TrueAddress[];
  organizations: { technicalId: string }[];
}

interface TrueAddress {
  street: string;
  distribution: string;
  bureauCedex: string;
  postalCode: string;
  insee: string;
  city: string;
}

export interface TrueStructure {
  technicalId: string;
  oldId: string;
  name: string;
  finess: string;
  siret: string;
  bureauCedex: string;
  postalCode: string;
  insee: string;
  city: string;
  telecom: string[];
  partOfFinessEj: string;
}

export interface TrueCounts {
  practitioners: number;
  organizations: { total: number };
  /** Hits by probe. */
  practitionerName: Record<string, number>;
  practitionerAddress: Record<string, number>;
  organizationName: Record<string, number>;
}

export const counts = JSON.parse(read('truth_counts.json')) as TrueCounts;
/** A sample of the people, and of the structures. */
export const people = ndjson('truth.ndjson') as TruePerson[];
export const structures = ndjson('truth_organizations.ndjson') as TrueStructure[];

function read(name: string): string {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures/edition', `${name}.gz`))).toString('utf8');
}

function ndjson(name: string): unknown[] {
  return read(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

interface FoundAddress {
  line: string[];
  postalCode?: string;
  city?: string;
  extension?: { valueCoding: { code: string } }[];
}

interface FoundPerson {
  id: string;
  identifier: { value: string }[];
  name: unknown;
  telecom?: { value: string }[];
  address?: FoundAddress[];
  qualification: { code: { coding: unknown[] } }[];
}

interface FoundStructure {
  id: string;
  identifier: { value: string }[];
  name: string;
  telecom?: { value: string }[];
  address: FoundAddress[];
  partOf?: { reference: string };
}

/** Fails unless the Practitioner has the fields of the truth. */
export function expectPerson(resource: object | undefined, truth: TruePerson): void {
  const found = resource as FoundPerson;
  expect(found?.id).toBe(truth.idnps);
  expect(found.name).toEqual([
    { use: 'official', family: truth.family, given: [truth.given], prefix: [truth.prefix || truth.civilite] },
  ]);
  expect(valuesOf(found.identifier)).toContain(truth.rpps);
  expect(new Set(valuesOf(found.telecom))).toEqual(new Set(truth.telecom));
  const codings = found.qualification.flatMap(({ code }) => code.coding);
  for (const { code, label } of truth.qualifications) {
    expect(codings).toContainEqual(expect.objectContaining({ code, display: label }));
  }
  expect(codings).toContainEqual(expect.objectContaining({ code: truth.category }));
  expect(truth.addresses.filter((address) => !(found.address ?? []).some(holds(address)))).toEqual([]);
  expect(found.address?.length ?? 0).toBeLessThanOrEqual(truth.addresses.length);
}

/** Fails unless the Organization has the fields of the truth. */
export function expectStructure(resource: object | undefined, truth: TrueStructure): void {
  const found = resource as FoundStructure;
  expect(found?.id).toBe(truth.technicalId);
  expect(found.name).toBe(truth.name);
  const values = valuesOf(found.identifier);
  for (const value of [truth.siret, truth.finess, truth.oldId]) if (value !== '') expect(values).toContain(value);
  expect(found.partOf?.reference).toBe(
    truth.partOfFinessEj === '' ? undefined : `Organization/F${truth.partOfFinessEj}`,
  );
  const contacts = valuesOf(found.telecom);
  for (const address of truth.telecom) expect(contacts).toContain(address);
  expect(found.address[0]?.postalCode).toBe(truth.postalCode);
  expect(found.address[0]?.line).toContain(truth.bureauCedex);
  expect(found.address[0]?.extension?.[0]?.valueCoding.code).toBe(truth.insee);
}

function valuesOf(items: readonly { value: string }[] = []): string[] {
  return items.map(({ value }) => value);
}

/** Whether an address is the expected one; lines above the street are not named by the truth. */
function holds(truth: TrueAddress): (found: FoundAddress) => boolean {
  const lines = [truth.street, truth.distribution, truth.bureauCedex].filter(Boolean);
  return ({ line, postalCode = '', city = '', extension }) =>
    lines.join('|') === line.slice(-lines.length).join('|') &&
    postalCode === truth.postalCode &&
    city === truth.city &&
    (extension?.[0]?.valueCoding.code ?? '') === truth.insee;
}
