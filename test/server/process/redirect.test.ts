// SEC-57: what the port without TLS answers, request by request.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { redirectToHttps } from '#server/process/http-server.ts';

const ISSUER = 'https://connect.example/base';
const DIRECTORY = 'https://directory.example/v2';
const settings = { issuer: ISSUER, directory: { url: DIRECTORY }, hsts: { maxAge: 31_536_000 } };
const app = redirectToHttps(settings as unknown as Parameters<typeof redirectToHttps>[0]);

describe('SEC-57 the port that redirects', () => {
  it.each([
    ['connect.example', '/', 'https://connect.example/'],
    ['connect.example:80', '/base/authorize?a=1&b=%2F', 'https://connect.example/base/authorize?a=1&b=%2F'],
    ['directory.example', '/v2/Practitioner?name=a', 'https://directory.example/v2/Practitioner?name=a'],
    ['directory.example:8080', '/v2/metadata', 'https://directory.example/v2/metadata'],
    ['evil.example', '/base', 'https://connect.example/base'],
    ['directory.example.evil.example', '//evil.example/x', 'https://connect.example//evil.example/x'],
  ])('sends Host %s, %s to %s', async (host, path, location) => {
    for (const method of ['get', 'head'] as const) {
      const { status, headers } = await request(app)[method](path).set('Host', host);
      expect([status, headers['location']]).toEqual([308, location]);
    }
  });

  it.each(['post', 'put', 'delete', 'options'] as const)('refuses %s, and says what to use', async (method) => {
    const { status, headers, text } = await request(app)[method]('/base/oauth/token');
    expect([status, headers['allow'], headers['location'], text]).toEqual([
      405,
      'GET, HEAD',
      undefined,
      'Use https: https://connect.example\n',
    ]);
  });

  it('refuses credentials, which are no secret any more', async () => {
    const { status, headers, text } = await request(app).get('/v2/Practitioner').set('Authorization', 'Bearer x');
    expect([status, headers['location']]).toEqual([403, undefined]);
    expect(text).toBe('Credentials were sent without https: replace them, and use https://connect.example\n');
  });

  it.each([
    ['get', 308],
    ['post', 405],
  ] as const)('sends the headers of every answer but HSTS, and nothing that is kept (%s)', async (method, status) => {
    const { status: answered, headers } = await request(app)[method]('/');
    expect(answered).toBe(status);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': expect.stringMatching(/^text\/plain/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    for (const name of ['strict-transport-security', 'x-powered-by', 'etag']) expect(headers).not.toHaveProperty(name);
  });
});
