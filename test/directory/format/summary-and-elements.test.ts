// fhir-stu3, HTTP and Search: "_summary, _elements on read and search"; "_summary=true adds meta.tag SUBSETTED and drops what
// STU3 says (Practitioner: qualification; Organization: telecom, address)". STU3 search 3.1.1.5.8, 3.1.1.5.9.

import { describe, expect, it } from '@jest/globals';
import { type Entry, linksOf } from '#support/directory/reading.ts';
import { behindPublicBase, PUBLIC_BASE } from '#support/directory/set-up.ts';
import { structures } from '#support/directory/stu3-elements.ts';

describe('summary and elements', () => {
  const { agent, get } = behindPublicBase();
  const SUBSETTED = { system: 'http://hl7.org/fhir/v3/ObservationValue', code: 'SUBSETTED' };

  type Resource = Record<string, unknown> & { id: string; meta: { tag?: object[]; versionId: string } };

  /** The resource by read and the first one of a search, which must be alike. */
  async function given(type: string, id: string, parameters: string): Promise<Resource> {
    const read = await get(`/${type}/${id}?${parameters}`);
    expect(read.status).toBe(200);
    const { body } = await get(`/${type}?_id=${id}&${parameters}`);
    expect(body.entry).toHaveLength(1);
    expect(body.entry[0].resource).toEqual(read.body);
    return read.body as Resource;
  }

  const DEFINED = new Map(
    structures().flatMap(({ snapshot }) => snapshot.element.map((element) => [element.path, element])),
  );
  /** Elements that a summary has, as HL7's definitions mark them. */
  const MARKED = new Set(
    [...DEFINED.values()]
      .filter(({ isSummary, isModifier, min }) => isSummary || isModifier || min > 0)
      .map(({ path }) => path),
  );

  /** Every element of the value by its path in the definitions, which begins anew at each type. */
  function namesOf(value: object, type: string): string[] {
    return Object.entries(value).flatMap(([name, content]) => {
      const path = `${type}.${name}`;
      if (name === 'resourceType') return [];
      const inner = [content].flat().filter((one): one is object => typeof one === 'object' && one !== null);
      const nested = [...DEFINED.keys()].some((other) => other.startsWith(`${path}.`));
      const next = nested ? path : (DEFINED.get(path)?.type?.[0]?.code ?? path);
      return [path, ...inner.flatMap((one) => namesOf(one, next))];
    });
  }

  const elementsOf = (resource: Resource) => Object.keys(resource).sort();

  describe('3.1.1.5.8 _summary', () => {
    it('true gives what the definitions mark as summary, and says that it is not all', async () => {
      const person = await given('Practitioner', 'prat-1', '_summary=true');
      expect(elementsOf(person)).toEqual(
        ['active', 'address', 'id', 'identifier', 'meta', 'name', 'resourceType', 'telecom'].sort(),
      );
      const structure = await given('Organization', 'org-1', '_summary=true');
      expect(elementsOf(structure)).not.toContain('address');
      expect(elementsOf(structure)).toEqual(expect.arrayContaining(['identifier', 'active', 'name']));
      for (const { meta } of [person, structure]) expect(meta.tag).toEqual([expect.objectContaining(SUBSETTED)]);
    });

    it('true gives no element at any depth that is neither summary, mandatory nor a modifier', async () => {
      const { body } = await get('/metadata?_summary=true');
      expect(body.meta.tag).toEqual([expect.objectContaining(SUBSETTED)]);
      expect(body.rest[0].resource[0]).toHaveProperty('interaction');
      expect(namesOf(body, 'CapabilityStatement').filter((name) => !MARKED.has(name))).toEqual([]);
      const whole = await get('/metadata');
      expect(namesOf(whole.body, 'CapabilityStatement').filter((name) => !MARKED.has(name))).not.toEqual([]);
    });

    it('false gives the whole resource, without a tag', async () => {
      const whole = (await get('/Practitioner/prat-1')).body;
      expect(await given('Practitioner', 'prat-1', '_summary=false')).toEqual(whole);
      expect(whole.meta.tag).toBeUndefined();
    });

    it('count gives the total of a search, and means nothing for a read', async () => {
      const { body } = await get('/Practitioner?name=duval&_summary=count');
      expect(body.total).toBe(1);
      expect(body.entry).toBeUndefined();
      const read = await get('/Practitioner/prat-1?_summary=count');
      expect(read.status).toBe(400);
      expect(read.body.issue[0].location).toEqual(['http._summary']);
    });

    it.each(['maybe', 'TRUE', ''])('_summary=%s is 400 naming the values', async (value) => {
      for (const path of ['/Practitioner?name=duval', '/Practitioner/prat-1?', '/metadata?']) {
        const { status, body } = await get(`${path}&_summary=${value}`);
        expect(status).toBe(400);
        expect(body.issue[0].location).toEqual(['http._summary']);
      }
    });
  });

  describe('3.1.1.5.9 _elements', () => {
    it('gives the elements that are named, those that are mandatory, and the modifiers', async () => {
      const person = await given('Practitioner', 'prat-1', '_elements=name,%20telecom,name');
      expect(elementsOf(person)).toEqual(['id', 'meta', 'name', 'resourceType', 'telecom']);
      expect(person.meta.tag).toEqual([expect.objectContaining(SUBSETTED)]);
      // Organization.active is a modifier in STU3: a structure that closed must not look like one that is open.
      expect(elementsOf(await given('Organization', 'org-1', '_elements=name'))).toEqual(
        ['active', 'id', 'meta', 'name', 'resourceType'].sort(),
      );
      expect(elementsOf((await get('/metadata?_elements=software')).body)).toEqual(
        expect.arrayContaining(['software', 'status', 'date', 'kind', 'fhirVersion', 'acceptUnknown', 'format']),
      );
    });

    it.each([
      ['/Practitioner/prat-1?', 'nom', /no element nom\b.*qualification/],
      ['/metadata?', 'name,photo', /no element photo\b.*software/],
      ['/Practitioner?name=duval', 'name,,id', /elements of the type itself/],
      ['/Practitioner?name=duval', 'Practitioner.name.family', /elements of the type itself/],
      ['/Practitioner?name=duval', '', /no value/],
    ])('%s&_elements=%s is 400 naming what there is', async (path, names, reason) => {
      const { status, body } = await get(`${path}&_elements=${names}`);
      expect(status).toBe(400);
      expect(body.issue).toEqual([
        expect.objectContaining({ location: ['http._elements'], diagnostics: expect.stringMatching(reason) }),
      ]);
    });
  });

  it('links keep subsets, over pages and after a search by POST', async () => {
    const form = 'active=true&_count=1&_elements=name&_pretty=true';
    const { body } = await agent().post('/Practitioner/_search').type('form').send(form);
    const { self, next } = linksOf(body);
    expect(self).toBe(`${PUBLIC_BASE}/Practitioner?${form}`);
    const path = String(next).slice(PUBLIC_BASE.length);
    const following = await get(path);
    expect(following.status).toBe(200);
    for (const { resource } of following.body.entry as Entry[])
      expect(elementsOf(resource as unknown as Resource)).toEqual(['id', 'meta', 'name', 'resourceType']);
    expect(linksOf((await get('/Practitioner?_id=prat-1&_summary=true')).body)['self']).toBe(
      `${PUBLIC_BASE}/Practitioner?_id=prat-1&_summary=true`,
    );
  });
});
