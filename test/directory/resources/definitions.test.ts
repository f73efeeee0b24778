// fhir-stu3, CapabilityStatement and discovery: every claim compared with what answers, and own SearchParameter resources,
// served, and true to HL7's where derived.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'fhir-kit-client';
import request from 'supertest';
import { edition } from '#support/directory/edition.ts';
import { idsOf } from '#support/directory/reading.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

describe('fhir-stu3 CapabilityStatement', () => {
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

  it('2.3 and 2.4 every search key of the specification is claimed', () => {
    const names = resources.map(({ searchParam }) => searchParam.map(({ name }) => name));
    expect(names[0]).toEqual(expect.arrayContaining(['name', 'identifier', 'qualification', 'address', 'telecom']));
    expect(names[1]).toEqual(expect.arrayContaining(['name', 'identifier', 'address', 'part-of']));
  });
});

describe('directory: definitions of parameters', () => {
  const require = createRequire(import.meta.url);
  const OFFICIAL = join(require.resolve('hl7.fhir.r3.examples/package.json'), '..');
  const HL7 = 'http://hl7.org/fhir/SearchParameter/';

  interface Definition {
    id: string;
    url: string;
    code: string;
    type: string;
    base: string[];
    expression: string;
    xpath?: string;
    xpathUsage?: string;
    target?: string[];
    derivedFrom?: string;
    description?: string;
    status?: string;
    name?: string;
  }

  /** HL7's own definition; throws where there is none. */
  function official(url: string): Definition {
    return JSON.parse(
      readFileSync(join(OFFICIAL, `SearchParameter-${url.slice(HL7.length)}.json`), 'utf8'),
    ) as Definition;
  }

  let anyone: Client;
  let definitions: Definition[];
  // No edition is loaded, and nobody has signed in: definitions are there all the same.
  const directory = openedForAll(() => startDirectory(undefined));
  beforeAll(async () => {
    anyone = new Client({ baseUrl: directory.address });
    const bundle = await anyone.search({ resourceType: 'SearchParameter', searchParams: {} });
    definitions = (bundle as unknown as { entry: { resource: Definition }[] }).entry.map(({ resource }) => resource);
  });

  describe('fhir-stu3 own SearchParameter resources, served', () => {
    it('each says where the values of its parameter are, as an expression and as an XPath', () => {
      const telecom = (type: string, system: string) => [
        `${type}.telecom.where(system='${system}')`,
        `f:${type}/f:telecom[f:system/@value='${system}']`,
      ];
      const secureMail = (type: string) => [
        `${type}.telecom.where(extension.value.code='MSSANTE').value`,
        `f:${type}/f:telecom[f:extension/f:valueCoding/f:code/@value='MSSANTE']/f:value`,
      ];
      const geolocation = 'http://hl7.org/fhir/StructureDefinition/geolocation';
      const told = definitions.map(({ id, expression, xpath, xpathUsage, derivedFrom }) => [
        ...[id, [expression, xpath], xpathUsage],
        ...(derivedFrom ? [derivedFrom] : []),
      ]);
      expect(told).toEqual([
        ['Organization-email', telecom('Organization', 'email'), 'normal'],
        ['Organization-mailbox-mss', secureMail('Organization'), 'normal'],
        [
          'Organization-near',
          [
            `Organization.address.extension('${geolocation}')`,
            `f:Organization/f:address/f:extension[@url='${geolocation}']`,
          ],
          'nearby',
        ],
        [
          ...['Organization-part-of', ['Organization.partOf', 'f:Organization/f:partOf'], 'normal'],
          `${HL7}Organization-partof`,
        ],
        ['Organization-phone', telecom('Organization', 'phone'), 'normal'],
        ['Organization-telecom', ['Organization.telecom', 'f:Organization/f:telecom'], 'normal'],
        ['Practitioner-mailbox-mss', secureMail('Practitioner'), 'normal'],
        [
          'Practitioner-qualification',
          ['Practitioner.qualification.code', 'f:Practitioner/f:qualification/f:code'],
          'normal',
        ],
        [
          ...['Practitioner-telecom', ['Practitioner.telecom', 'f:Practitioner/f:telecom'], 'normal'],
          `${HL7}individual-telecom`,
        ],
      ]);
    });

    it('each has what STU3 requires, its address as url, and xpathUsage beside xpath', () => {
      for (const definition of definitions) {
        const { id, url, code, base, name } = definition;
        expect(definition).toMatchObject({ status: 'active', description: expect.any(String) });
        expect(url).toBe(`${directory.base}/SearchParameter/${id}`);
        expect(id).toBe(`${base[0]}-${code}`);
        expect(name).toBe(code);
      }
    });

    it('a derived one searches part of what HL7 does, by the same type', () => {
      for (const { derivedFrom, type, target, base, expression, xpath = '' } of definitions) {
        if (derivedFrom === undefined) continue;
        const theirs = official(derivedFrom);
        expect(theirs.type).toBe(type);
        expect(theirs.target).toEqual(target);
        expect(theirs.base).toEqual(expect.arrayContaining(base));
        expect(theirs.expression.split(' | ')).toContain(expression);
        expect(theirs.xpath?.split(' | ')).toContain(xpath);
      }
    });

    it('each is read by its url, without a token', async () => {
      for (const { id, url } of definitions) {
        expect(await anyone.read({ resourceType: 'SearchParameter', id })).toMatchObject({ url });
        expect(await anyone.resolve({ reference: url })).toMatchObject({ id });
      }
    });

    it.each([
      ['url', ({ url }: Definition) => url],
      ['code', ({ code }: Definition) => code],
      ['_id', ({ id }: Definition) => id],
    ])('found by %s alone', async (name, of) => {
      for (const definition of definitions) {
        const searchParams = { [name]: of(definition) };
        const same = definitions.filter((other) => of(other) === of(definition)).map(({ id }) => id);
        expect(idsOf(await anyone.search({ resourceType: 'SearchParameter', searchParams }))).toEqual(same);
      }
    });

    it('found by base and type, joined by AND, and in the order of their ids', async () => {
      const found = (searchParams: Record<string, string>) =>
        anyone.search({ resourceType: 'SearchParameter', searchParams }).then(idsOf);
      expect(await found({ base: 'Practitioner' })).toEqual([
        'Practitioner-mailbox-mss',
        'Practitioner-qualification',
        'Practitioner-telecom',
      ]);
      expect(await found({ base: 'Organization,Practitioner', type: 'reference' })).toEqual(['Organization-part-of']);
      expect(await found({ base: 'Patient' })).toEqual([]);
    });
  });

  describe('fhir-stu3 every parameter of the CapabilityStatement has its definition', () => {
    it('here, or HL7 has one of the same name and type for the same base', async () => {
      const statement = await anyone.capabilityStatement();
      const { resource: types } = (statement as never as { rest: { resource: Claimed[] }[] }).rest[0] as {
        resource: Claimed[];
      };
      let defined = 0;
      for (const { type, searchParam } of types) {
        for (const { name, definition, type: form } of searchParam) {
          const found = definition.startsWith(HL7)
            ? official(definition)
            : ((await anyone.resolve({ reference: definition })) as unknown as Definition);
          expect([found.url, found.code, found.type]).toEqual([definition, name, form]);
          expect(found.base.includes(type) || found.base.includes('Resource')).toBe(true);
          defined += 1;
        }
      }
      expect(defined).toBeGreaterThan(30);
    });

    it('name and address keep that of HL7, and state the word rule and the 2-character rule', async () => {
      const { body } = await request(directory.address).get('/metadata');
      for (const { type, searchParam } of (body.rest[0].resource as Claimed[]).slice(0, 2)) {
        const [name, address] = ['name', 'address'].map((wanted) => searchParam.find(({ name }) => name === wanted));
        expect(name?.definition).toBe(`${HL7}${type}-name`);
        expect(name?.documentation).toMatch(/2 characters.*begins a word/);
        expect(address?.definition).toMatch(new RegExp(`^${HL7}(individual|Organization)-address$`));
        expect(address?.documentation).toMatch(/begins a word of one and the same address/);
      }
    });
  });

  interface Claimed {
    type: string;
    searchParam: { name: string; type: string; definition: string; documentation: string }[];
  }
});
