// fhir-stu3, HTTP: reads with their headers, CORS; SEC-42 and SEC-45 where they touch the directory.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { edition } from '#support/directory/edition.ts';
import { linksOf } from '#support/directory/reading.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { behindPublicBase, PUBLIC_BASE } from '#support/directory/set-up.ts';

const { address, get } = behindPublicBase();

describe('fhir-stu3 HTTP: read', () => {
  it.each([
    ['If-None-Match', 'W/"1"', 304],
    ['If-None-Match', '"1"', 304],
    ['If-None-Match', 'W/"7", W/"1"', 304],
    ['If-None-Match', '*', 304],
    ['If-None-Match', 'W/"2"', 200],
    ['If-Modified-Since', 'Mon, 02 Nov 2026 05:00:00 GMT', 304],
    ['If-Modified-Since', 'Mon, 02 Nov 2026 04:59:59 GMT', 200],
    ['If-Modified-Since', 'yesterday', 200],
  ])('%s: %s gives %i', async (header, value, status) => {
    const answer = await get('/Practitioner/prat-1').set(header, value);
    expect(answer.status).toBe(status);
    expect(answer.headers['etag']).toBe('W/"1"');
    expect(answer.text === '').toBe(status === 304);
  });

  it('If-None-Match takes precedence over If-Modified-Since', async () => {
    const answer = await get('/Practitioner/prat-1')
      .set('If-None-Match', 'W/"2"')
      .set('If-Modified-Since', 'Mon, 02 Nov 2026 05:00:00 GMT');
    expect(answer.status).toBe(200);
  });

  it('304 only when asked: a Bundle has no ETag', async () => {
    expect((await get('/Practitioner?name=duval')).headers).not.toHaveProperty('etag');
  });

  it('a resource that left the directory is 410', async () => {
    const gone = { id: 'prat-0', versionId: '3', goneSince: '2026-11-01T05:00:00Z' };
    const snapshot = { ...scanSnapshot('two', edition()), gone: async () => gone };
    const other = await startDirectory(snapshot);
    try {
      const answer = await request(other.address).get('/Practitioner/prat-0').set('Authorization', 'Bearer both');
      expect(answer.status).toBe(410);
      expect(answer.body.issue[0]).toMatchObject({ code: 'not-found' });
    } finally {
      await other.stop();
    }
  });
});

describe('fhir-stu3 HTTP: CORS and Host', () => {
  it('SEC-45 a preflight needs no token and names the headers', async () => {
    const answer = await request(address())
      .options('/Practitioner?name=duval')
      .set('Origin', 'https://app.example')
      .set('Access-Control-Request-Method', 'GET')
      .set('Access-Control-Request-Headers', 'authorization,prefer');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-methods']).toContain('GET');
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ');
    const named = ['Authorization', 'DPoP', 'Accept', 'Content-Type', 'Prefer', 'If-None-Match', 'If-Modified-Since'];
    const ofDownloads = ['Range', 'If-Range'];
    const ofLibraries = ['traceparent', 'tracestate', 'baggage', 'Cache-Control', 'Pragma', 'X-Requested-With', '*'];
    expect(allowed).toEqual([...named, ...ofDownloads, ...ofLibraries]);
    expect(answer.headers['access-control-max-age']).toBe('86400');
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('SEC-45 a preflight for a search by POST', async () => {
    const answer = await request(address()).options('/Organization/_search').set('Origin', 'https://app.example');
    expect(answer.headers['access-control-allow-methods']).toContain('POST');
  });

  it.each(['/Practitioner/prat-1', '/Practitioner?name=d', '/Patient', '/metadata'])(
    '%s can be read by any origin, headers included',
    async (path) => {
      const answer = await get(path).set('Origin', 'https://app.example');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      for (const header of ['ETag', 'Last-Modified', 'Content-Location', 'Link', 'Retry-After', 'X-Request-Id'])
        expect(String(answer.headers['access-control-expose-headers']).split(', ')).toContain(header);
    },
  );

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
    for (const { fullUrl } of answer.body.entry) expect(fullUrl.startsWith(`${PUBLIC_BASE}/Practitioner/`)).toBe(true);
  });
});
