// SEC-60: which answers are compressed, by address, type and whether everybody gets the same.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { compressPages } from '#server/middleware/compress-pages.ts';

const LONG = JSON.stringify('a long text that is worth the work. '.repeat(100));

function appOf(directory: string, type: string, cacheControl?: string) {
  const settings = { issuer: 'https://connect.example/base', directory: { url: directory } };
  const app = express();
  app.use(compressPages(settings as Parameters<typeof compressPages>[0]));
  app.use((_req, res) => {
    if (cacheControl) res.set('Cache-Control', cacheControl);
    res.type(type).send(LONG);
  });
  return app;
}

const encodingOf = async (path: string, app: express.Express, accepted = 'gzip') => {
  const { headers } = await request(app).get(path).set('Accept-Encoding', accepted);
  return headers['content-encoding'];
};

describe('compressPages', () => {
  it.each([
    ['text/html', undefined, 'gzip'],
    ['text/css', undefined, 'gzip'],
    ['text/javascript', undefined, 'gzip'],
    ['application/javascript', undefined, 'gzip'],
    ['image/svg+xml', undefined, 'gzip'],
    ['application/json', 'public, max-age=60', 'gzip'],
    ['application/fhir+json', 'public', 'gzip'],
    ['application/json', undefined, undefined],
    ['application/json', 'no-store', undefined],
    ['application/json', 'max-age=1, public', undefined],
    ['text/plain', undefined, undefined],
    ['image/png', undefined, undefined],
  ])('%s with Cache-Control %s: %s', async (type, cacheControl, encoding) => {
    expect(await encodingOf('/base/page', appOf('https://connect.example/v2', type, cacheControl))).toBe(encoding);
  });

  it.each([
    ['/base/sign-in', 'https://connect.example/v2', 'gzip'],
    ['/base/oauth/token', 'https://connect.example/v2', undefined],
    ['/.well-known/oauth-authorization-server', 'https://connect.example/v2', undefined],
    ['/v2/Practitioner', 'https://connect.example/v2', undefined],
    ['/v2/Practitioner', 'https://connect.example/v2/', undefined],
    ['/v2x', 'https://connect.example/v2', 'gzip'],
    ['/base/page', 'https://directory.example/', 'gzip'],
  ])('%s beside a directory at %s: %s', async (path, directory, encoding) => {
    expect(await encodingOf(path, appOf(directory, 'text/html'))).toBe(encoding);
  });

  it('takes what the request accepts', async () => {
    const app = appOf('https://connect.example/v2', 'text/html');
    expect(await encodingOf('/base/page', app, 'br')).toBe('br');
    expect(await encodingOf('/base/page', app, 'identity')).toBeUndefined();
  });
});
