// The routes of the reference: what each sends, what caches may keep, and which client the page to try it gets.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { tryClient } from '#config/built-in-clients.ts';
import { describeDirectory } from '#directory/reference/descriptions.ts';
import { REFERENCE, referenceRouter } from '#directory/reference/router.ts';
import { createSite } from '#web/site.ts';
import { DIRECTORY } from './small-directory.ts';

const issuer = 'https://c.example/base';
const site = createSite({ issuer, branding: { name: 'Hygie', colour: '#0b5f6b' } });
const { base, namespace, authorizationUrl, tokenUrl, tryPage } = DIRECTORY;
const directory = { ...describeDirectory(), base, namespace, authorizationUrl, tokenUrl, tryPage };

function serve({ registered = true, demo = '/base/demo' } = {}) {
  const own = { ...tryClient({ issuer }), id: 'try', scopes: ['openid', 'PRACTITIONER_READ', 'other'] };
  const app = express();
  app.use(
    referenceRouter({
      site,
      issuer,
      demo,
      person: { login: 'ann', password: 'p' },
      directory: async () => directory,
      client: () => (registered ? (own as never) : undefined),
      openapi: async () => '{"openapi":"3.1.0"}',
      freshness: async () => ({ counts: {} }),
    }),
  );
  return app;
}
const headersOf = (answer: request.Response, ...names: string[]) => names.map((name) => answer.headers[name]);
const CACHING = ['content-type', 'cache-control', 'vary', 'set-cookie'];

describe('the routes of the reference', () => {
  it('the page is kept for five minutes by its language, unless that was just chosen', async () => {
    expect(REFERENCE).toEqual({ docs: '/directory/docs', openapi: '/directory/openapi.json' });
    const page = await request(serve()).get(REFERENCE.docs).set('Accept-Language', 'en');
    const html = 'text/html; charset=utf-8';
    expect(headersOf(page, ...CACHING)).toEqual([html, 'public, max-age=300', 'Accept-Language, Cookie', undefined]);
    expect(page.headers['content-security-policy']).toMatch(/; script-src 'sha256-[\w+/]{43}='; style-src/);
    expect(page.text).toContain('<html lang="en">');
    expect(page.text).toContain('href="?lang=fr"');
    expect(page.text).toContain('<a href="/base/directory/openapi.json">');
    expect(page.text).toContain('<a href="/base/demo">');
    expect(page.text).toContain('id="way-machine" checked');
    const chosen = await request(serve()).get(`${REFERENCE.docs}?lang=en`);
    const cookie = '__Secure-hygie_language=en; Path=/base/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure';
    expect(headersOf(chosen, ...CACHING)).toEqual([html, 'no-store', undefined, [cookie]]);
  });

  it('the description for programs is for any origin, and the base leads to the page', async () => {
    const openapi = await request(serve()).get(REFERENCE.openapi);
    expect([...headersOf(openapi, 'access-control-allow-origin', ...CACHING), openapi.text]).toEqual([
      ...['*', 'application/json; charset=utf-8', 'public, max-age=300', undefined, undefined, '{"openapi":"3.1.0"}'],
    ]);
    const base = await request(serve()).get('/directory');
    expect([base.status, base.headers['location']]).toEqual([302, '/base/directory/docs']);
  });

  it('the page to try it is never kept, and knows its client', async () => {
    for (const path of ['/directory/try', '/directory/try/signed-in?code=c']) {
      const page = await request(serve()).get(path).set('Accept-Language', 'en');
      expect(headersOf(page, ...CACHING, 'cross-origin-opener-policy')).toEqual([
        ...['text/html; charset=utf-8', 'no-store', undefined, undefined, 'same-origin'],
      ]);
      expect(page.text).toContain('href="/base/directory/try?lang=fr"');
      expect(page.text).toContain('<a href="/base/directory/docs">');
      expect(page.text).toContain('<script type="module" src="/base/directory/try/try.js">');
      expect(page.text).toContain('<code id="demo-login">ann</code>');
      const facts = JSON.parse(/id="facts">(.*?)<\/script>/s.exec(page.text)?.[1] ?? '{}');
      expect([facts.page, facts.client]).toEqual([
        '/base/directory/try',
        {
          issuer,
          clientId: 'try',
          callback: `${issuer}/directory/try/signed-in`,
          afterSignOut: `${issuer}/directory/try`,
          scope: 'openid PRACTITIONER_READ',
        },
      ]);
    }
    const chosen = await request(serve()).get('/directory/try?lang=fr');
    expect(chosen.headers['set-cookie']).toHaveLength(1);
  });

  it('its scripts are those of the page', async () => {
    for (const script of ['try', 'sign-in', 'answer', 'snippets', 'oauth4webapi']) {
      const answer = await request(serve()).get(`/directory/try/${script}.js`).buffer();
      expect([script, answer.status, answer.type]).toEqual([script, 200, 'text/javascript']);
    }
    expect((await request(serve()).get('/directory/try/other.js')).status).toBe(404);
  });
});
