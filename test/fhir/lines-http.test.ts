// fhir-stu3: each line on HTTP, on the CapabilityStatement and on discovery has its test here, named after it. The finer tests
// stand in test/directory.

import { describe, expect, it } from '@jest/globals';
import { load } from '#support/config/folder.ts';
import { shipped } from '#support/config/shipped.ts';
import { edition } from '#support/directory/edition.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { searchParameter } from '#support/fhir/definitions.ts';
import { ask, BASE, withDirectory } from '#support/fhir/lines.ts';
import { errorsOf } from '#support/fhir/validate.ts';

describe('STU3 over HTTP', () => {
  const { get, post } = withDirectory();
  const JSON_TYPE = 'application/fhir+json; charset=utf-8';
  const XML_TYPE = 'application/fhir+xml; charset=utf-8';
  const PERSON = '/Practitioner/prat-1';

  describe('fhir-stu3 HTTP', () => {
    it('GET {base}/metadata without a token', async () => {
      expect((await get('/metadata', { token: null })).status).toBe(200);
    });

    it('unknown type or id 404; write verbs 405 with Allow; POST _search with another content type 415; all with an OperationOutcome', async () => {
      const body = '{}';
      const refused = [
        [404, await get('/Patient/1')],
        [404, await get('/Practitioner/nobody')],
        [405, await get(PERSON, { method: 'PUT', body })],
        [405, await get(PERSON, { method: 'DELETE' })],
        [405, await get(PERSON, { method: 'PATCH', body })],
        [405, await get('/Practitioner', { method: 'POST', body })],
        [415, await post('/Practitioner/_search', 'name=duval', { 'content-type': 'application/json' })],
      ] as const;
      for (const [status, answer] of refused) {
        expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome']);
        expect(answer.headers.has('allow')).toBe(status === 405);
      }
    });

    it('application/fhir+json and application/fhir+xml, charset always explicit, errors too', async () => {
      for (const path of [PERSON, '/Practitioner?name=duval', '/metadata', '/Patient/1', '/Practitioner?nom=x'])
        for (const type of ['json', 'xml']) {
          const { headers } = await get(path, { headers: { accept: `application/fhir+${type}` } });
          expect(headers.get('content-type')).toBe(`application/fhir+${type}; charset=utf-8`);
        }
    });

    it('_format beats Accept (json, xml, full types; + may arrive as a blank)', async () => {
      const typed = async (format: string, accept: string) =>
        (await get(`${PERSON}?_format=${format}`, { headers: { accept } })).headers.get('content-type');
      for (const format of ['xml', 'application/fhir%2Bxml', 'application/fhir+xml', 'application/fhir%20xml'])
        expect([format, await typed(format, 'application/fhir+json')]).toEqual([format, XML_TYPE]);
      for (const format of ['json', 'application/fhir%2Bjson', 'application/fhir+json'])
        expect([format, await typed(format, 'application/fhir+xml')]).toEqual([format, JSON_TYPE]);
    });

    it('no Accept, */* and browsers get JSON; q-lists are honoured', async () => {
      const typed = async (accept?: string) =>
        (await get(PERSON, accept === undefined ? {} : { headers: { accept } })).headers.get('content-type');
      const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
      for (const accept of [undefined, '*/*', browser])
        expect([accept, await typed(accept)]).toEqual([accept, JSON_TYPE]);
      expect(await typed('application/fhir+json;q=0.4, application/fhir+xml;q=0.9')).toBe(XML_TYPE);
      expect(await typed('application/fhir+json, application/fhir+xml;q=0.9')).toBe(JSON_TYPE);
    });

    it('nothing acceptable or an unknown _format: 406', async () => {
      expect((await get(PERSON, { headers: { accept: 'text/turtle' } })).status).toBe(406);
      expect((await get(`${PERSON}?_format=turtle`)).status).toBe(406);
    });

    it('read: ETag W/"versionId" (set before Express sets its own), Last-Modified, Content-Location', async () => {
      const { headers, body } = await get(PERSON);
      expect(headers.get('etag')).toBe(`W/"${body.meta.versionId}"`);
      expect(Date.parse(headers.get('last-modified') ?? '')).toBe(
        Math.floor(Date.parse(body.meta.lastUpdated) / 1000) * 1000,
      );
      expect(headers.get('content-location')).toBe(`${BASE}${PERSON}/_history/${body.meta.versionId}`);
    });

    it('If-None-Match and If-Modified-Since give 304 only when asked', async () => {
      const { headers } = await get(PERSON);
      const etag = headers.get('etag') ?? '';
      const since = headers.get('last-modified') ?? '';
      expect((await get(PERSON, { headers: { 'if-none-match': etag } })).status).toBe(304);
      expect((await get(PERSON, { headers: { 'if-modified-since': since } })).status).toBe(304);
      expect((await get(PERSON)).status).toBe(200);
    });

    it('HEAD wherever GET', async () => {
      for (const path of [
        PERSON,
        `${PERSON}/_history/1`,
        '/Practitioner?name=duval',
        '/metadata',
        '/SearchParameter',
      ]) {
        const head = await get(path, { method: 'HEAD' });
        expect([path, head.status, head.text]).toEqual([path, 200, '']);
        expect(head.headers.get('content-length')).toBe((await get(path)).headers.get('content-length'));
      }
    });

    it('_summary, _elements, _pretty on read and search', async () => {
      for (const path of [`${PERSON}?`, '/Practitioner?_id=prat-1&']) {
        const one = async (query: string) => {
          const { body } = await get(path + query);
          return body.entry?.[0].resource ?? body;
        };
        expect(await one('_summary=true')).not.toHaveProperty('qualification');
        expect(Object.keys(await one('_elements=name'))).not.toContain('identifier');
        expect((await get(`${path}_pretty=true`)).text).toContain('\n');
        expect((await get(path)).text).not.toContain('\n');
      }
    });

    it('vread of the current version, 404 "history not supported" otherwise', async () => {
      expect((await get(`${PERSON}/_history/1`)).body).toEqual((await get(PERSON)).body);
      const other = await get(`${PERSON}/_history/7`);
      expect([other.status, other.body.issue[0].diagnostics]).toEqual([
        404,
        expect.stringMatching(/history is not supported/),
      ]);
    });

    it('401 with WWW-Authenticate: Bearer ... + OperationOutcome login', async () => {
      const { status, headers, body } = await get(PERSON, { token: null });
      expect([status, body.issue[0].code]).toEqual([401, 'login']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
    });

    it('403 + forbidden and error="insufficient_scope"', async () => {
      const { status, headers, body } = await get(PERSON, { token: 'organizations' });
      expect([status, body.issue[0].code]).toEqual([403, 'forbidden']);
      expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    });

    it('429 + throttled and Retry-After', async () => {
      const hurried = await startDirectory(scanSnapshot('one', edition()), {
        rates: {
          ofClient: () => ({ perSecond: 1, burst: 1 }),
          ofServiceAccount: () => ({ perSecond: 1, burst: 1 }),
          addressOf: () => '192.0.2.1',
        },
      });
      try {
        await ask(hurried.address, PERSON);
        const { status, headers, body } = await ask(hurried.address, PERSON);
        expect([status, body.issue[0].code]).toEqual([429, 'throttled']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      } finally {
        await hurried.stop();
      }
    });

    it('CORS: allow Authorization, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since; expose ETag, Last-Modified, Content-Location, Link', async () => {
      const asked = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
      const before = await get(PERSON, { method: 'OPTIONS', token: null, headers: asked });
      const allowed = before.headers.get('access-control-allow-headers')?.split(/, */) ?? [];
      expect(allowed).toEqual(
        expect.arrayContaining([
          'Authorization',
          'Accept',
          'Content-Type',
          'Prefer',
          'If-None-Match',
          'If-Modified-Since',
        ]),
      );
      const { headers } = await get(PERSON, { headers: { origin: 'https://app.example' } });
      expect(headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/app\.example)$/);
      const exposed = headers.get('access-control-expose-headers')?.split(/, */) ?? [];
      expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Last-Modified', 'Content-Location', 'Link']));
    });

    it('issue-type has no deleted, multiple-matches or not-allowed in STU3, so the validation of every answer reports them', () => {
      const outcome = (code: string) => ({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] });
      expect(errorsOf(outcome('not-found'))).toEqual([]);
      for (const code of ['deleted', 'multiple-matches', 'not-allowed'])
        expect(errorsOf(outcome(code))).not.toEqual([]);
    });
  });

  describe('fhir-stu3 CapabilityStatement and discovery', () => {
    it('required: status date kind fhirVersion("3.0.2") acceptUnknown format[] rest.mode, every resource with interaction[]; profile is a Reference object', async () => {
      const { body } = await get('/metadata');
      expect(errorsOf(body)).toEqual([]);
      expect(body).toMatchObject({
        status: 'active',
        kind: 'instance',
        fhirVersion: '3.0.2',
        rest: [{ mode: 'server' }],
      });
      expect([body.date, body.acceptUnknown, body.format.length > 1]).toEqual([
        expect.any(String),
        expect.any(String),
        true,
      ]);
      for (const { interaction, profile } of body.rest[0].resource) {
        expect(interaction.length).toBeGreaterThan(0);
        expect(profile).toEqual({ reference: expect.stringMatching(/^http/) });
      }
    });

    it("publish versioning, conditionalRead, searchInclude, searchRevInclude, security.cors / service / description, software.version, and the directory's freshness", async () => {
      const { body } = await get('/metadata');
      const [rest] = body.rest;
      for (const type of ['Practitioner', 'Organization', 'PractitionerRole'])
        expect(rest.resource).toContainEqual(
          expect.objectContaining({ type, versioning: 'versioned', conditionalRead: 'full-support' }),
        );
      expect(rest.resource.some((one: { searchInclude?: unknown }) => one.searchInclude)).toBe(true);
      expect(rest.resource.some((one: { searchRevInclude?: unknown }) => one.searchRevInclude)).toBe(true);
      expect(rest.security).toMatchObject({ cors: true, service: [{}, {}], description: expect.any(String) });
      expect(body.software.version).toBe('0.1.0');
      expect(body.implementation.description).toMatch(/128 practitioners/);
    });

    it('own SearchParameter resources, served: Organization-part-of (derivedFrom partof, target Organization), Practitioner-qualification; with xpath comes xpathUsage', async () => {
      const partOf = (await get('/SearchParameter/Organization-part-of', { token: null })).body;
      expect(partOf).toMatchObject({ code: 'part-of', base: ['Organization'], target: ['Organization'] });
      expect(JSON.stringify(partOf.derivedFrom)).toContain('http://hl7.org/fhir/SearchParameter/Organization-partof');
      const qualification = (await get('/SearchParameter/Practitioner-qualification', { token: null })).body;
      expect(qualification).toMatchObject({ code: 'qualification', base: ['Practitioner'] });
      for (const one of [partOf, qualification]) {
        expect(errorsOf(one)).toEqual([]);
        expect('xpath' in one).toBe('xpathUsage' in one);
      }
    });

    it("name and address keep HL7's definition and state the word rule and the 2-character rule in documentation", async () => {
      const { body } = await get('/metadata');
      for (const type of ['Practitioner', 'Organization']) {
        const { searchParam } = body.rest[0].resource.find((one: { type: string }) => one.type === type);
        for (const name of ['name', 'address']) {
          const { definition, documentation } = searchParam.find((one: { name: string }) => one.name === name);
          expect(searchParameter(definition.split('/').at(-1))).toMatchObject({ url: definition, code: name });
          expect(documentation).toMatch(/begin/);
          if (name === 'name') expect(documentation).toMatch(/2 characters/);
        }
      }
    });

    it('SMART: rest.security.extension oauth-uris and {base}/.well-known/smart-configuration, each complete', async () => {
      const { body } = await get('/metadata');
      const [uris] = body.rest[0].security.extension;
      expect(uris.url).toBe('http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris');
      const said = Object.fromEntries(
        uris.extension.map((one: { url: string; valueUri: string }) => [one.url, one.valueUri]),
      );
      const smart = (await get('/.well-known/smart-configuration', { token: null })).body;
      expect(said).toMatchObject({
        authorize: smart.authorization_endpoint,
        token: smart.token_endpoint,
        introspect: smart.introspection_endpoint,
        revoke: smart.revocation_endpoint,
      });
      for (const address of Object.values(said)) expect(address).toMatch(/^https:\/\/connect\.example\//);
      expect(smart.capabilities.length).toBeGreaterThan(0);
    });
  });

  describe('fhir-stu3 fhir-kit-client 2.0.3', () => {
    it('any non-2xx throws, 304 too; error.response.data is the OperationOutcome', async () => {
      const directory = await startDirectory(scanSnapshot('one', edition()));
      try {
        const client = directory.client();
        const nobody = client.read({ resourceType: 'Practitioner', id: 'nobody' });
        await expect(nobody).rejects.toMatchObject({
          response: { status: 404, data: { resourceType: 'OperationOutcome' } },
        });
        const options = { headers: { 'If-None-Match': 'W/"1"' } };
        const known = client.read({ resourceType: 'Practitioner', id: 'prat-1', options });
        await expect(known).rejects.toMatchObject({ response: { status: 304 } });
      } finally {
        await directory.stop();
      }
    });

    it('its reference pattern refuses - and _ in host or path: the default directory path is /directory/v2', async () => {
      expect(new URL(BASE).pathname).toMatch(/^[A-Za-z0-9./]+$/);
      const { settings } = await load({ service: shipped('service.yaml') });
      expect(new URL(settings.directory.url).pathname).toBe('/directory/v2');
    });
  });
});
