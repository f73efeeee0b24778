// SEC-43, SEC-44, SEC-53, SEC-54 at the directory: hostile bytes, metacharacters, and searches beyond the limits; and, for
// fhir-stu3, refusals that name the remedy: names of other servers, numbers of pages, modifiers that are cut short.

import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { TABLES } from '#directory/resources/resource-types.ts';
import { behindPublicBase, indexedDirectory } from '#support/directory/set-up.ts';

const PARAMETERS = TABLES.flatMap(({ type, parameters }) => parameters.map(({ name }) => [type, name] as const));

const METACHARACTERS = [
  "' OR '1'='1",
  "'; drop table practitioner; --",
  '%%',
  '__',
  '%zim%',
  'zi_mer',
  '**',
  'zim*',
  '"zim"',
  '"zim" OR "duval"',
  'NEAR(zim paul)',
  'zim AND paul',
  'NOT zim',
  'name:zim',
  '{zim}',
  '^zim',
  '(zim',
  'zim)',
  'zim:*',
  'zim & !paul',
  '\\',
  '\\\\\\\\',
  'qq\\',
  '$where',
  '~~',
  'constructor',
  '__proto__',
];

describe('hostile searches', () => {
  const on = indexedDirectory();
  const get = (path: string) => request(on.directory.address).get(path).set('Authorization', 'Bearer both');

  // Other ones for each parameter.
  const some = PARAMETERS.map(
    ([type, name], row) => [type, name, METACHARACTERS.filter((_, at) => (at + row) % 4 === 0)] as const,
  );

  it.each(some)('SEC-53 metacharacters in %s.%s: never an error, never a wider result', async (type, name, values) => {
    for (const value of values) {
      const answer = await get(`/${type}?${name}=${encodeURIComponent(value)}`);
      const malformed =
        ['active', 'part-of', 'partof', 'practitioner', 'organization', '_lastUpdated'].includes(name) ||
        [...value].length < 2 ||
        (name === 'name' && !/[a-z]/.test(value));
      const refused = name === 'near' || (name === '_id' && !/^[A-Za-z0-9.-]+$/.test(value));
      if (malformed) expect([200, 400]).toContain(answer.status);
      else expect([value, answer.status]).toEqual([value, refused ? 400 : 200]);
      const words = /zim/.test(value) && !/OR|AND|NOT|NEAR|name|_/.test(value) && /^(name|family)$/.test(name);
      if (answer.status === 200 && !words) expect([value, answer.body.total]).toEqual([value, 0]);
    }
  });

  it.each(['zim*', '"zim"', '^zim', '(zim', 'zim)', '{zim}', '%zim%', 'zim:*', 'zim & !paul'])(
    'SEC-53 the sign in %s counts as a separator of words and nothing more',
    async (value) => {
      const answer = await get(`/Practitioner?name=${encodeURIComponent(value)}`);
      expect(answer.body.total).toBe(123);
    },
  );

  it.each([
    ['bad UTF-8', '%C3%28'],
    ['an overlong form', '%C0%AF'],
    ['a lone surrogate', '%ED%A0%80'],
    ['a broken escape', '%zz'],
    ['a lone %', '10%'],
    ['NUL', 'du%00val'],
    ['CRLF', 'duval%0d%0aX-Evil:%201'],
    ['a C1 control character', '%C2%85'],
    ['DEL', '%7F'],
  ])('SEC-44 %s in any value or name is 400, without a trace in the headers', async (_what, bytes) => {
    for (const [type, name] of PARAMETERS.filter((_, at) => at % 4 === bytes.length % 4)) {
      const answer = await get(`/${type}?${name}=${bytes}`);
      expect([name, answer.status]).toEqual([name, 400]);
      expect(answer.body.resourceType).toBe('OperationOutcome');
      expect(answer.headers).not.toHaveProperty('x-evil');
    }
    expect((await get(`/Practitioner?na${bytes}me=duval`)).status).toBe(400);
    expect((await get(`/Practitioner/${bytes}`)).status).toBeGreaterThanOrEqual(400);
    expect((await get(`/Practitioner/${bytes}`)).status).toBeLessThan(500);
    const posted = await request(on.directory.address)
      .post('/Practitioner/_search')
      .set('Authorization', 'Bearer both')
      .type('form')
      .send(`name=${bytes}`);
    expect(posted.status).toBe(400);
  });

  it.each([
    ['UTF-8', Buffer.from('name=Hélène', 'utf8'), 200],
    ['Latin-1', Buffer.from('name=Hélène', 'latin1'), 400],
  ])('SEC-44 unencoded bytes of %s in a form', async (_what, bytes, status) => {
    const posted = await fetch(`${on.directory.address}/Practitioner/_search`, {
      method: 'POST',
      headers: { Authorization: 'Bearer both', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: bytes,
    });
    expect(posted.status).toBe(status);
    const answer = (await posted.json()) as { resourceType: string; total?: number };
    expect(status === 200 ? answer.total : answer.resourceType).toBe(status === 200 ? 1 : 'OperationOutcome');
  });

  it('SEC-44 unencoded bytes in the address are refused by the server itself', async () => {
    const { port, hostname } = new URL(on.directory.address);
    const socket = connect(Number(port), hostname);
    const head = `GET /directory/v2/Practitioner?name=Hélène HTTP/1.1\r\nHost: ${hostname}\r\n`;
    socket.end(`${head}Authorization: Bearer both\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
  });

  it.each(['_count', '_summary', '_total', '_format'])('SEC-43 a repeated %s is 400', async (name) => {
    const value = { _count: '1', _summary: 'count', _total: 'none', _format: 'json' }[name];
    const answer = await get(`/Practitioner?${name}=${value}&${name}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body.issue[0].location).toEqual([`http.${name}`]);
  });

  it.each(['-1', 'ten', '1.5', '1e3', '+1', '0x10', '9'.repeat(30)])('a _count of %s is 400', async (count) => {
    expect((await get(`/Practitioner?_count=${encodeURIComponent(count)}`)).status).toBe(400);
  });

  it('SEC-54 what is refused for its length is not parsed: nothing after the limit is looked at', async () => {
    const letters = Array.from({ length: 100 }, (_, n) => String.fromCharCode(97 + (n % 26))).join();
    const long = Array.from({ length: 20 }, () => `qualification:text=${letters}`).join('&');
    for (const [query, codes] of [
      [`${long}&active=maybe`, ['too-long']],
      [`active=maybe&${long}`, ['value', 'too-long']],
    ] as const) {
      const answer = await request(on.directory.address)
        .post('/Practitioner/_search')
        .set('Authorization', 'Bearer both')
        .set('Content-Type', 'application/x-www-form-urlencoded')
        .send(query);
      expect(answer.body.issue.map(({ code }: { code: string }) => code)).toEqual(codes);
    }
  });

  it('SEC-44 a giant address is 414, a giant form 413', async () => {
    const giant = await get(`/Practitioner?name=${'a'.repeat(5000)}`);
    expect(giant.status).toBe(414);
    expect(giant.body.issue[0]).toMatchObject({ code: 'too-long' });
    const posted = await request(on.directory.address)
      .post('/Practitioner/_search')
      .set('Authorization', 'Bearer both')
      .type('form')
      .send(`name=${'a'.repeat(20_000)}`);
    expect(posted.status).toBe(413);
    expect(posted.body.issue[0]).toMatchObject({ code: 'too-long' });
  });

  it('SEC-44 a form is not read before the token is known to be good', async () => {
    const posted = await request(on.directory.address)
      .post('/Practitioner/_search')
      .type('form')
      .send('a'.repeat(20_000));
    expect(posted.status).toBe(401);
  });
});

describe('fhir-stu3 what is done otherwise here', () => {
  const { get } = behindPublicBase();

  it.each([
    [
      'SearchParameter?x=1',
      /Known are url, code, base, type, _id, _count, _summary, _elements, _total, _totalMethod, _format, _pretty\.$/,
    ],
    ['SearchParameter?sort=url', /is no search parameter of SearchParameter\. Known/],
    ['Practitioner?x=1', /Known are .*, _sort, _include, _revinclude, _count/],
  ])('%s: the remedy is one that the type has', async (query, remedy) => {
    const { body } = await get(`/${query}`);
    expect(body.issue[0].diagnostics).toMatch(remedy);
  });

  it('a name is only meant where the type has it', async () => {
    const { body } = await get('/PractitionerRole?city=lyon');
    expect(body.issue[0].diagnostics).not.toContain('address-city');
  });
});
