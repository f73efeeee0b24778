// SMART's configuration, whole, and the base address of the directory.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { baseAddress } from '#directory/metadata/base-address.ts';
import { openidConfiguration, smartConfiguration } from '#directory/metadata/smart-configuration.ts';
import { SERVER } from './authorization-server.ts';

describe('fhir-stu3 SMART and the base address', () => {
  function serve(docs?: string) {
    const app = express().disable('x-powered-by').disable('etag');
    app.get('/smart', smartConfiguration(SERVER)).get('/openid', openidConfiguration(SERVER));
    const batch = [express.text(), (_req: unknown, res: express.Response) => void res.send('batch')];
    app.use('/v2', baseAddress({ metadata: (_req, res) => void res.send('metadata'), batch, docs }));
    app.use((_req, res) => void res.status(204).end());
    app.use(
      ((error, _req, res, _next) =>
        void res.status(error.status).send(error.message)) satisfies express.ErrorRequestHandler,
    );
    return app;
  }

  it('the configuration is the server’s with its capabilities, and is kept for five minutes', async () => {
    const { status, headers, body } = await request(serve()).get('/smart');
    const capabilities = ['client-public', 'client-confidential-symmetric', 'sso-openid-connect'];
    expect([status, body]).toEqual([200, { ...SERVER, capabilities }]);
    expect([headers['content-type'], headers['cache-control'], headers['vary'], headers['etag']]).toEqual([
      ...['application/json', 'public, max-age=300', 'Accept-Encoding', expect.stringMatching(/^W\/"[\w-]{20,}"$/)],
    ]);
    const known = await request(serve()).get('/smart').set('If-None-Match', String(headers['etag']));
    expect([known.status, known.text]).toEqual([304, '']);
    const moved = await request(serve()).get('/openid');
    expect([moved.status, moved.headers['location']]).toEqual([
      302,
      'https://connect.example/.well-known/openid-configuration',
    ]);
  });

  const DOCS = 'https://connect.example/directory/docs';
  it.each([
    ['text/html,application/xhtml+xml,*/*', DOCS, 302],
    [' Text/HTML , application/xhtml+xml', DOCS, 302],
    ['text/html', DOCS, 200],
    ['application/fhir+json, text/html, application/xhtml+xml', DOCS, 200],
    ['text/html,application/xhtml+xml', undefined, 200],
  ])('Accept: %s at the base address with the reference at %s is %i', async (accept, docs, status) => {
    const answer = await request(serve(docs)).get('/v2').set('Accept', accept);
    expect([answer.status, answer.headers['location']]).toEqual([status, status === 302 ? DOCS : undefined]);
    if (status === 200) expect(answer.text).toBe('metadata');
  });
});
