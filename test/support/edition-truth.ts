// What the shipped edition holds according to its generator, and the comparison of a resource with it, field by field.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';

/** Folder of the shipped edition. */
export const EDITION = join(import.meta.dirname, '../../seeds/edition');

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
  phone: string;
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
  return gunzipSync(readFileSync(join(import.meta.dirname, '../fixtures/edition', `${name}.gz`))).toString('utf8');
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

interface FoundCoding {
  code?: string;
  display?: string;
}

interface FoundPerson {
  id: string;
  identifier: { value: string }[];
  name: unknown;
  telecom?: { value: string }[];
  address?: FoundAddress[];
  qualification: { code: { coding: FoundCoding[] } }[];
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
  const { id, name, identifier = [], telecom, address = [], qualification = [] } = (resource ?? {}) as FoundPerson;
  const codings = qualification.flatMap(({ code }) => code.coding);
  const codes = [...truth.qualifications, { code: truth.category }];
  // One matcher for all: thousands of people are compared.
  expect({
    id,
    name,
    telecom: new Set(valuesOf(telecom)),
    identifier: valuesOf(identifier).includes(truth.rpps) ? truth.rpps : identifier,
    withoutCoding: codes.filter((wanted) => !codings.some(isCoding(wanted))),
    withoutAddress: truth.addresses.filter((wanted) => !address.some(holds(wanted))),
    furtherAddresses: Math.max(0, address.length - truth.addresses.length),
  }).toEqual({
    id: truth.idnps,
    name: [{ use: 'official', family: truth.family, given: [truth.given], prefix: [truth.prefix || truth.civilite] }],
    telecom: new Set(truth.telecom),
    identifier: truth.rpps,
    withoutCoding: [],
    withoutAddress: [],
    furtherAddresses: 0,
  });
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

/** Whether a coding is the expected one; the truth has no label of a category. */
function isCoding(truth: { code: string; label?: string }): (found: FoundCoding) => boolean {
  return ({ code, display }) => code === truth.code && (truth.label === undefined || display === truth.label);
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
