// Proves the headers that keep a page from being framed, scripted, sniffed or leaked.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { securityHeaders } from '#server/middleware/security-headers.ts';
import { contentSecurityPolicy, pageHeaders } from '#web/http/page-headers.ts';
import { scriptElements } from '#web/page-scripts.ts';

const HSTS = { maxAge: 31_536_000, includeSubDomains: false };

function answer(issuer: string, hsts = HSTS) {
  const app = express().use(securityHeaders({ issuer, hsts }));
  app.get('/page', (_req, res) => {
    pageHeaders(res, { formsLeadTo: ['https://portail.example/callback?a=b'] });
    res.send('');
  });
  app.get('/data', (_req, res) => void res.send(''));
  return request(app);
}

describe('security headers', () => {
  it('SEC-30 no page may be framed', async () => {
    for (const path of ['/page', '/data']) {
      const { headers } = await answer('https://auth.example').get(path);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
    }
  });

  it('SEC-31 no referrer, no script, nothing inline, nothing from elsewhere', async () => {
    const { headers } = await answer('https://auth.example').get('/data');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  it('a page is never stored, and may widen the targets of forms', async () => {
    const { headers } = await answer('https://auth.example').get('/page');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("form-action 'self' https://portail.example;");
  });

  it('a page that needs a script has that one alone', () => {
    const element = /<script>([\s\S]*)<\/script>/.exec(scriptElements(['post-form']).toString())?.[1] ?? '';
    const hash = createHash('sha256').update(element).digest('base64');
    expect(contentSecurityPolicy({ scripts: ['post-form'] })).toContain(`; script-src 'sha256-${hash}';`);
  });

  it.each([
    ['https://portail.example:8443/callback', 'https://portail.example:8443'],
    ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
    ['http://[::1]:49152/callback', 'http:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('forms may lead to %s as %s', (callback, target) => {
    expect(contentSecurityPolicy({ formsLeadTo: [callback] })).toContain(`form-action 'self' ${target};`);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', "no address; script-src 'unsafe-inline'", ''])(
    'forms may not lead to %s',
    (callback) => {
      expect(contentSecurityPolicy({ formsLeadTo: [callback] })).toBe(contentSecurityPolicy({}));
    },
  );

  it.each([
    [{}, 'max-age=31536000'],
    [{ maxAge: 0 }, 'max-age=0'],
    [{ includeSubDomains: true }, 'max-age=31536000; includeSubDomains'],
  ])(
    'SEC-51 HSTS with %j where the issuer is https (RFC 6797 section 6.1): by default for the host alone',
    async (hsts, sent) => {
      const header = async (issuer: string) =>
        (await answer(issuer, { ...HSTS, ...hsts }).get('/data')).headers['strict-transport-security'];
      expect(await header('https://auth.example')).toBe(sent);
      expect(await header('http://localhost:3000')).toBeUndefined();
    },
  );
});
