// fhir-stu3, HTTP: addresses, methods, status codes, searches by POST, preferences; the request shapes of specification 4.5.

import { once } from 'node:events';
import { get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { SearchOptions } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { linksOf } from '#support/directory/reading.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { behindPublicBase, FHIR_JSON, PUBLIC_BASE } from '#support/directory/set-up.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

describe('router of the directory', () => {
  const { address, agent, get } = behindPublicBase();

  describe('fhir-stu3 HTTP: addresses and methods', () => {
    it.each([
      ['an unknown type', '/Patient', /Known are/],
      ['an unknown type with an id', '/Patient/1', /Known are/],
      ['a type in other case', '/practitioner?name=duval', /did you mean Practitioner\?/],
      ['a mistyped type', '/Organisation?name=duval', /did you mean Organization\?/],
      ['an id of the other type', '/Practitioner/org-1', /no Practitioner/],
      ['an id of illegal form', '/Practitioner/a_b*c', /no Practitioner/],
      ['an operation', '/Practitioner/prat-1/$everything', /./],
    ])('%s is 404 with an OperationOutcome', async (_what, path, reason) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe(FHIR_JSON);
      expect(answer.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'not-found' }] });
      expect(answer.body.issue[0].diagnostics).toMatch(reason);
    });

    it.each([
      ['post', '/Practitioner', 'GET, HEAD, OPTIONS'],
      ['delete', '/Organization?identifier=250000015', 'GET, HEAD, OPTIONS'],
      ['put', '/', 'GET, HEAD, POST, OPTIONS'],
      ['put', '/Practitioner/_search?name=duval', 'GET, HEAD, POST, OPTIONS'],
    ] as const)('%s %s is 405 with Allow', async (method, path, allow) => {
      const answer = await agent()[method](path);
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe(allow);
      expect(answer.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'not-supported' }] });
    });
  });

  describe('fhir-stu3 HTTP: search by POST', () => {
    const post = (path: string) => agent().post(path);

    it.each([
      'application/json',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded; charset=iso-8859-1',
    ])('content type %s is 415', async (type) => {
      const answer = await post('/Practitioner/_search').set('Content-Type', type).send('name=duval');
      expect(answer.status).toBe(415);
      expect(answer.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'not-supported' }] });
    });
  });

  describe('fhir-stu3 HTTP: search at _search by GET, as HAPI sends it', () => {
    it.each(['/Practitioner?name=duval&_count=1', '/Organization?name=saint', '/SearchParameter?code=part-of'])(
      '%s is the same answer, links included',
      async (search) => {
        const plain = await get(search);
        expect(plain.body.total).toBeGreaterThan(0);
        const answer = await get(search.replace('?', '/_search?'));
        expect([answer.status, answer.text]).toEqual([200, plain.text]);
        const head = await agent().head(search.replace('?', '/_search?'));
        expect([head.status, head.headers['content-length']]).toEqual([200, plain.headers['content-length']]);
      },
    );

    it('needs the same token and scopes, and has the same limits', async () => {
      const search = () => request(address()).get('/Practitioner/_search?name=duval');
      expect((await search()).status).toBe(401);
      expect((await search().set('Authorization', 'Bearer organizations')).status).toBe(403);
      expect((await get('/Practitioner/_search?foo=bar')).status).toBe(400);
      expect((await get(`/Practitioner/_search?name=${'a'.repeat(4100)}`)).status).toBe(414);
    });
  });

  describe('4.5 shapes of search requests, byte for byte as the specification shows them', () => {
    it.each([
      ['by RPPS', '/Practitioner?identifier=https://connect.example/fhir/Identifier/practitioner-rpps|10000000011'],
      ['by national identifier', '/Practitioner?identifier=urn:oid:1.2.250.1.71.4.2.1|810000000011'],
      ['by secure messaging contact', '/Practitioner?telecom=helene.duval@mail.example'],
      ['by address', '/Practitioner?address=pontarlier+eglise'],
      ['by address, blanks encoded', '/Practitioner?address=pontarlier%20eglise'],
    ])('4.5 %s', async (_what, path) => {
      const sent = httpGet(`${address()}/`, {
        path: `/directory/v2${path}`,
        headers: { Authorization: 'Bearer both' },
      });
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      expect(JSON.parse(await text(answer))).toMatchObject({ total: 1, entry: [{ resource: { id: 'prat-1' } }] });
    });
  });

  it('fhir-stu3 HTTP: Prefer: handling=lenient ignores what is unknown or empty, says so, and leaves it out of self', async () => {
    const answer = await get('/Practitioner?name=duval&foo=bar&address=').set('Prefer', 'handling=lenient');
    expect(answer.status).toBe(200);
    expect(answer.body.total).toBe(1);
    expect(linksOf(answer.body)).toEqual({ self: `${PUBLIC_BASE}/Practitioner?name=duval` });
    const [match, outcome] = answer.body.entry;
    expect(outcome.search).toEqual({ mode: 'outcome' });
    // STU3 Bundle: what has no address has a UUID; the same one, so that the same search is the same bytes.
    expect(outcome.fullUrl).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    expect(outcome.resource.issue).toMatchObject([
      { severity: 'warning', location: ['http.foo'] },
      { severity: 'warning', location: ['http.address'] },
    ]);
    expect(match.search).toEqual({ mode: 'match' });
  });

  describe('a search that cannot be answered now (STU3 http 2.20.0.5; RFC 9110 section 15.6.4)', () => {
    let search: (options?: SearchOptions) => Promise<never>;
    const directory = openedForAll(async () => {
      const snapshot = scanSnapshot('busy', edition());
      return startDirectory({ ...snapshot, search: (_query, options) => search(options) });
    });

    it('is known to be abandoned once its client has left', async () => {
      let options: SearchOptions | undefined;
      search = (given) => {
        options = given;
        return new Promise<never>(() => {});
      };
      const headers = { authorization: 'Bearer both' };
      const call = httpRequest(`${directory.address}/Practitioner?name=du`, { headers }).on('error', () => {});
      call.end();
      await until(() => options !== undefined, 'the search has begun');
      expect(options?.abandoned?.()).toBe(false);
      call.destroy();
      await until(() => options?.abandoned?.() === true, 'the search is abandoned');
    });
  });
});
