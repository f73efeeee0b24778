// fhir-stu3, HTTP: "If-None-Match and If-Modified-Since give 304 only when asked", in every format and subset; "vread of the
// current version, 404 'history not supported' otherwise"; "HEAD wherever GET"; CORS. RFC 9110 section 13, RFC 9111 section 4. SEC-42 and
// SEC-45 at the directory.

import { describe, expect, it } from '@jest/globals';
import { linksOf } from '#support/directory/reading.ts';
import { behindPublicBase, PUBLIC_BASE } from '#support/directory/set-up.ts';

describe('a read', () => {
  const { agent, get } = behindPublicBase();
  const READ = '/Practitioner/prat-1';

  describe('fhir-stu3 HTTP: one resource in several representations', () => {
    it.each(['family=nobody', 'name=', '_elments=name', '_include=Practitioner:x'])(
      'a read holds no criterion: ?%s is 400, unless it is to be ignored',
      async (query) => {
        const refused = await get(`${READ}?${query}`);
        expect(refused.status).toBe(400);
        expect(refused.body.issue[0]).toMatchObject({ location: [`http.${query.split('=')[0]}`] });
        expect((await get(`${READ}?${query}`).set('Prefer', 'handling=lenient')).status).toBe(200);
      },
    );

    it('a refused representation is refused before it is found to be known', async () => {
      expect((await get(`${READ}?_format=yaml`).set('If-None-Match', 'W/"1"')).status).toBe(406);
      expect((await get(`${READ}?_elements=nom`).set('If-None-Match', 'W/"1"')).status).toBe(400);
    });
  });

  describe('fhir-stu3 HTTP: vread and history', () => {
    it.each([`${READ}/_history/2`, `${READ}/_history`, '/Practitioner/_history', '/_history'])(
      '%s is 404: history is not supported',
      async (path) => {
        const { status, body } = await get(path);
        expect(status).toBe(404);
        expect(body.issue[0].diagnostics).toMatch(/history is not supported/);
        const written = await agent().delete(path);
        expect([written.status, written.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
      },
    );
  });

  describe('fhir-stu3 HTTP: HEAD wherever GET', () => {
    it.each([
      READ,
      `${READ}/_history/1`,
      `${READ}?_format=xml`,
      `${READ}?_summary=true`,
      '/Practitioner?name=duval&_pretty=true',
      '/SearchParameter',
      '/metadata',
      '/Practitioner/nobody',
      '/Practitioner?foo=bar',
      '/Practitioner/prat-1/_history',
      '/.well-known/smart-configuration',
    ])('%s: the same status and headers', async (path) => {
      for (const coding of ['identity', 'br', 'gzip']) {
        const asked = { 'Accept-Encoding': coding };
        const [head, full] = [await agent().head(path).set(asked), await get(path).set(asked)];
        expect({ ...head.headers, date: '' }).toEqual({ ...full.headers, date: '' });
        expect([head.status, head.text ?? '']).toEqual([full.status, '']);
      }
    });

    it('a conditional HEAD is 304 like GET', async () => {
      expect((await agent().head(READ).set('If-None-Match', 'W/"1"')).status).toBe(304);
    });
  });

  describe('fhir-stu3 HTTP: CORS and Host', () => {
    it('SEC-45 a page may ask anywhere without a token, and can read that an address is unknown', async () => {
      for (const path of [READ, '/Patient/1', '/Practitioner/_history', '/metadata']) {
        const answer = await agent().options(path).unset('Authorization').set('Origin', 'https://app.example');
        expect(answer.status).toBe(204);
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
      }
    });

    it('SEC-42 Host and X-Forwarded-* change no link', async () => {
      const answer = await get('/Practitioner?name=zim')
        .set('Host', 'evil.example')
        .set('X-Forwarded-Host', 'evil.example')
        .set('X-Forwarded-Proto', 'http')
        .set('Forwarded', 'host=evil.example');
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('evil');
      for (const link of Object.values(linksOf(answer.body)))
        expect(link.startsWith(`${PUBLIC_BASE}/Practitioner?`)).toBe(true);
      for (const { fullUrl } of answer.body.entry)
        expect(fullUrl.startsWith(`${PUBLIC_BASE}/Practitioner/`)).toBe(true);
    });
  });
});
