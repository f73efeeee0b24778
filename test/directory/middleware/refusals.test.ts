// The refusals of the middleware, whole: status, headers and OperationOutcome of each error, of unknown addresses and of methods that a route lacks.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { FhirError, fhirError, issueOf } from '#directory/errors.ts';
import { methodNotAllowed, notFound, unknownAddress } from '#directory/middleware/not-found-or-allowed.ts';
import { operationOutcome, refusalOf } from '#directory/middleware/operation-outcome.ts';
import { responseHeaders } from '#directory/middleware/send-response.ts';
import { Abandoned, Unavailable } from '#search-index/search-errors.ts';
import { withinContext } from '#shared/request-context.ts';
import { headersOf, JSON_HEADERS } from './answer-headers.ts';

const DOCS = 'https://connect.example/directory/docs';
const FAILED = 'The directory failed to answer. The operator finds the cause in the log.';
const MALFORMED = 'The request is malformed: check the percent-encoding of the address and the body.';
const UNCOMPRESSED =
  'Send the body uncompressed: a form as application/x-www-form-urlencoded, a batch as application/fhir+json, in UTF-8.';

/** What a route fails with, by the last segment of its path. */
const ERRORS: Record<string, unknown> = {
  refused: fhirError(400, 'value', 'name is wrong.', { parameter: 'name', headers: { 'X-More': 'yes' } }),
  several: new FhirError(400, [issueOf('error', 'value', 'One.', 'a'), issueOf('warning', 'too-long', 'Two.')]),
  login: fhirError(401, 'login', 'Who are you?'),
  waiting: new Unavailable('Too many searches are waiting.', 7),
  large: Object.assign(new Error('request entity too large'), { status: 413 }),
  packed: Object.assign(new Error('content encoding unsupported'), { status: 415 }),
  coded: { type: 'encoding.unsupported', status: 500 },
  client: { status: 400 },
  last: { status: 499 },
  uri: new URIError('URI malformed'),
  redirect: { status: 399 },
  server: { status: 500 },
  text: { status: '400' },
  broken: new Error('disk'),
  caused: Object.assign(fhirError(500, 'exception', 'Known.'), { cause: new Error('why') }),
  busy: Object.assign(fhirError(503, 'transient', 'Later.'), { cause: new Error('database') }),
  plain: fhirError(503, 'transient', 'Later.'),
};

function serve() {
  const logged: unknown[] = [];
  const app = express().disable('x-powered-by').disable('etag');
  app.use(responseHeaders);
  app.all('/fail/:what', (req, res) => {
    res.set({ ETag: '"x"', 'Last-Modified': 'x', 'Content-Location': 'x', 'Accept-Ranges': 'bytes' });
    throw ERRORS[req.params.what];
  });
  app.get('/late', (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/plain' }).write('begun');
    throw new Error('too late');
  });
  app.get('/gone', () => {
    throw new Abandoned();
  });
  app
    .route('/Practitioner/_search')
    .get((_req, res) => res.end())
    .post((_req, res) => res.end())
    .all(methodNotAllowed);
  app.use(notFound(unknownAddress({ known: ['Practitioner', 'Organization', '$export'], docs: DOCS })));
  app.use(operationOutcome({ docs: DOCS, log: { error: (...line) => logged.push(line) } }));
  return { app, logged };
}

/** Headers without those of the connection. */
const outcomeOf = (code: string, diagnostics: string, more: object = {}) => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity: 'error', code, diagnostics, ...more }],
});

describe('the error middleware of the directory', () => {
  it.each<[what: string, status: number, code: string, diagnostics: string, headers?: object, more?: object]>([
    ['refused', 400, 'value', 'name is wrong.', { 'x-more': 'yes' }, { location: ['http.name'] }],
    ['login', 401, 'login', `Who are you? How: ${DOCS}`],
    ['waiting', 503, 'transient', 'Too many searches are waiting. Try again in 7 s.', { 'retry-after': '7' }],
    ['large', 413, 'too-long', 'The body is too large: split the search or the batch into several.'],
    ['packed', 415, 'not-supported', UNCOMPRESSED],
    ['coded', 415, 'not-supported', UNCOMPRESSED],
    ['client', 400, 'structure', MALFORMED],
    ['last', 400, 'structure', MALFORMED],
    ['uri', 400, 'structure', MALFORMED],
    ['redirect', 500, 'exception', FAILED],
    ['server', 500, 'exception', FAILED],
    ['text', 500, 'exception', FAILED],
    ['broken', 500, 'exception', FAILED],
    ['caused', 500, 'exception', 'Known.'],
    ['busy', 503, 'transient', 'Later.'],
    ['plain', 503, 'transient', 'Later.'],
  ])(
    '%s: %i %s, without the headers of the resource',
    async (what, status, code, diagnostics, headers = {}, more = {}) => {
      const { app, logged } = serve();
      const answer = await request(app).get(`/fail/${what}`);
      expect([answer.status, headersOf(answer)]).toEqual([status, { ...JSON_HEADERS, ...headers }]);
      expect(JSON.parse(answer.text)).toEqual(outcomeOf(code, diagnostics, more));
      const { cause } = Object(ERRORS[what]) as { cause?: unknown };
      const err = cause ?? (status === 500 ? ERRORS[what] : undefined);
      expect(logged).toEqual(err === undefined ? [] : [[{ err, method: 'GET' }, 'directory request failed']]);
    },
  );

  it('tells all issues, and the id of the request by which the operator finds it', async () => {
    const { app } = serve();
    const tracked = express().use((_req, _res, next) => withinContext({ requestId: 'r-1' }, next), app);
    expect(JSON.parse((await request(tracked).get('/fail/several')).text)).toEqual({
      resourceType: 'OperationOutcome',
      id: 'r-1',
      issue: [
        { severity: 'error', code: 'value', diagnostics: 'One.', location: ['http.a'] },
        { severity: 'warning', code: 'too-long', diagnostics: 'Two.' },
      ],
    });
  });

  it.each(['/late', '/gone'])(
    '%s: a second answer cannot be sent, and nobody waits for one: the connection ends',
    async (path) => {
      const { app, logged } = serve();
      await expect(request(app).get(path)).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
      expect(logged).toHaveLength(path === '/late' ? 1 : 0);
      expect(refusalOf(new Abandoned(), 'GET', undefined).status).toBe(500);
    },
  );

  it.each([
    ['', 'application/fhir+xml', 'xml'],
    ['_format=xml', 'application/fhir+json', 'xml'],
    ['_format=json', 'application/fhir+xml', 'json'],
    ['_format=yaml', 'application/fhir+xml', 'xml'],
    ['_format=yaml', 'image/png', 'json'],
    ['_format=%20xml%20', '*/*', 'xml'],
    ['_format=xml&a=%zz', '*/*', 'json'],
    [`_format=xml${'&a=b'.repeat(63)}`, '*/*', 'xml'],
    [`_format=xml${'&a=b'.repeat(64)}`, '*/*', 'json'],
    ['_pretty=true', '*/*', 'json indented'],
    ['_pretty=true&_format=xml', '*/*', 'xml indented'],
    ['_pretty=yes', '*/*', 'json'],
  ])('?%s with Accept: %s answers in %s', async (query, accept, form) => {
    const { app } = serve();
    const { headers, text, body } = await request(app).get(`/fail/refused?${query}`).set('Accept', accept).buffer();
    const written = text ?? String(body);
    const lines = written.trim().split('\n').length;
    const format = headers['content-type'] === 'application/fhir+xml; charset=utf-8' ? 'xml' : 'json';
    expect(`${format}${lines > 1 ? ' indented' : ''}`).toBe(form);
    expect(headers['cache-control']).toBe(format === 'xml' ? 'no-store' : 'private, no-cache');
  });
});

describe('addresses and methods that are not there', () => {
  const KNOWN = `Known are /metadata, /Practitioner, /Organization, /$export. All about them: ${DOCS}`;
  const CORS = {
    'access-control-allow-headers':
      'Authorization, DPoP, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since, Range, If-Range, ' +
      'traceparent, tracestate, baggage, Cache-Control, Pragma, X-Requested-With, *',
    'access-control-max-age': '86400',
  };
  it.each([
    ['/practitioner?x=1', `: did you mean Practitioner? ${KNOWN}`],
    [
      '/Practitioner/1/Organization',
      `: compartments are not served, but a search for Organization can name the Practitioner. ${KNOWN}`,
    ],
    ['/Organisation/1/x', `: did you mean Organization? ${KNOWN}`],
    ['/Organization/1/x', `. ${KNOWN}`],
    ['/Organization/1/$export', `. ${KNOWN}`],
    ['/nothing', `. ${KNOWN}`],
  ])('GET %s is 404', async (path, rest) => {
    const answer = await request(serve().app).get(path);
    expect([answer.status, headersOf(answer)]).toEqual([404, JSON_HEADERS]);
    expect(JSON.parse(answer.text)).toEqual(outcomeOf('not-found', `Nothing is served at this address${rest}`));
  });

  it('without a reference page none is named', () => {
    expect(unknownAddress({ known: ['A', 'B'] })('/x').message).toBe(
      'Nothing is served at this address: did you mean A? Known are /metadata, /A, /B.',
    );
    expect(unknownAddress({ known: ['A', 'B'] })('').message).toContain('at this address');
  });

  it('SEC-45 PUT is 405 with the methods that there are, and OPTIONS says them to a page of another origin', async () => {
    const { app } = serve();
    const put = await request(app).put('/Practitioner/_search');
    const allowed = 'GET, HEAD, POST, OPTIONS';
    expect([put.status, headersOf(put)]).toEqual([405, { ...JSON_HEADERS, allow: allowed }]);
    expect(JSON.parse(put.text)).toEqual(
      outcomeOf('not-supported', `PUT is not possible here, the directory is read-only: ${allowed}.`),
    );
    const { 'content-type': _, ...common } = JSON_HEADERS;
    for (const [path, methods] of [
      ['/Practitioner/_search', allowed],
      ['/nothing', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const options = await request(app).options(path);
      const own = { allow: methods, 'access-control-allow-methods': methods };
      expect([options.status, options.text, headersOf(options)]).toEqual([204, '', { ...common, ...CORS, ...own }]);
    }
  });

  it('a client that takes no coding is 406, with the codings that there are', async () => {
    const answer = await request(serve().app).get('/nothing').set('Accept-Encoding', 'identity;q=0, zstd');
    expect([answer.status, headersOf(answer)]).toEqual([406, JSON_HEADERS]);
    expect(JSON.parse(answer.text)).toEqual(
      outcomeOf('not-supported', 'Answers come as br, gzip or identity: take one of them in Accept-Encoding.'),
    );
  });
});
