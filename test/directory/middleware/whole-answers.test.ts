// What an interaction answers, whole: headers of a version, 304, formats; the text and the form of a request; and the coding of an answer.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Response } from 'express';
import request from 'supertest';
import { FhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { codingFor, compressed, takesNoCoding } from '#directory/middleware/compression.ts';
import { type DirectoryResponse, requestOf, respond } from '#directory/middleware/interaction.ts';
import { bodyReader, formOf, readFormOfError, searchForm } from '#directory/middleware/request-body.ts';
import { boundUnreadAnswers, responseHeaders, sendText, wasWritten } from '#directory/middleware/send-response.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { headersOf, JSON_HEADERS } from './answer-headers.ts';

const VERSION = {
  etag: 'W/"3"',
  lastUpdated: '2026-11-02T05:00:00.250Z',
  location: 'https://connect.example/directory/v2/Organization/o/_history/3',
};
const ORGANIZATION = JSON.stringify({ resourceType: 'Organization', id: 'o', name: 'Hôpital' });
const answered = (version?: DirectoryResponse['version']): DirectoryResponse => ({
  json: ORGANIZATION,
  representation: { format: 'json', pretty: false },
  ...(version && { version }),
});

function serve() {
  const rendered: string[] = [];
  const app = express().disable('x-powered-by').disable('etag');
  app.use(responseHeaders);
  app.get(
    '/stored',
    respond(async () => answered(VERSION)),
  );
  const inXml = async () => ({ ...answered(VERSION), representation: { format: 'xml', pretty: false } as const });
  const rendering = async ({ path }: { path: string }) => void rendered.push(path);
  app.get('/xml', respond(inXml, rendering));
  app.get(
    '/bundle',
    respond(async () => answered(), rendering),
  );
  app.get('/text', (req, res) => sendText(req, res, 'text/plain', 'é'.repeat(700)));
  return { app, rendered };
}

/** Headers without those of the connection. */

describe('what an interaction answers', () => {
  const OF_VERSION = {
    etag: 'W/"3"',
    'last-modified': 'Mon, 02 Nov 2026 05:00:00 GMT',
    'content-location': VERSION.location,
  };
  it('a version with its headers, and a Bundle without; what is not stored JSON is counted', async () => {
    const { app, rendered } = serve();
    const [stored, bundle, xml] = [
      await request(app).get('/stored'),
      await request(app).get('/bundle'),
      await request(app).get('/xml').buffer(),
    ];
    expect([stored.status, headersOf(stored), stored.text]).toEqual([
      200,
      { ...JSON_HEADERS, ...OF_VERSION },
      ORGANIZATION,
    ]);
    expect([bundle.status, headersOf(bundle), bundle.text]).toEqual([200, JSON_HEADERS, ORGANIZATION]);
    expect(stored.headers['content-length']).toBe(String(Buffer.byteLength(ORGANIZATION)));
    const ofXml = { 'content-type': 'application/fhir+xml; charset=utf-8', 'cache-control': 'no-store' };
    expect([xml.status, headersOf(xml)]).toEqual([200, { ...JSON_HEADERS, ...OF_VERSION, ...ofXml }]);
    expect(rendered).toEqual(['/xml']);
  });

  it.each([
    ['/stored', { 'if-none-match': 'W/"3"' }, 304],
    ['/stored', { 'if-none-match': 'W/"2"' }, 200],
    ['/stored', { 'if-modified-since': 'Mon, 02 Nov 2026 05:00:00 GMT' }, 304],
    ['/stored', { 'if-modified-since': 'Mon, 02 Nov 2026 04:59:59 GMT' }, 200],
    ['/stored', { 'if-modified-since': 'Monday, 02-Nov-26 05:00:00 GMT' }, 304],
    ['/stored', { 'if-modified-since': 'Mon Nov  2 05:00:00 2026' }, 304],
    ['/stored', { 'if-modified-since': '2027-01-01' }, 200],
    ['/stored', { 'if-modified-since': 'Mon, 02 Nov 2026 05:00:00 +0100' }, 200],
    ['/stored', { 'if-none-match': 'W/"2"', 'if-modified-since': 'Mon, 02 Nov 2026 05:00:00 GMT' }, 200],
    ['/stored', { 'if-none-match': 'W/"3"', 'cache-control': 'no-cache' }, 304],
    ['/stored', { 'if-none-match': 'W/"3"', 'sec-fetch-site': 'cross-site' }, 304],
    ['/xml', { 'if-none-match': 'W/"3"' }, 304],
    ['/xml', { 'if-none-match': 'W/"3"', 'sec-fetch-site': 'cross-site' }, 200],
    ['/xml', { 'if-modified-since': 'Mon, 02 Nov 2026 05:00:00 GMT', 'sec-fetch-site': 'none' }, 200],
  ])('%s with %j is %i', async (path, headers, status) => {
    const answer = await request(serve().app).get(path).set(headers).buffer();
    expect(answer.status).toBe(status);
    if (status !== 304) return;
    const { 'content-type': _, ...common } = JSON_HEADERS;
    const caching = path === '/xml' ? { 'cache-control': 'no-store' } : {};
    expect(headersOf(answer)).toEqual({ ...common, ...OF_VERSION, ...caching });
  });

  it('text has its length in bytes, and is compressed from 1,400 on', async () => {
    const plain = await request(serve().app).get('/text').set('Accept-Encoding', 'identity');
    expect([plain.text, plain.headers['content-length'], plain.headers['content-type']]).toEqual([
      'é'.repeat(700),
      '1400',
      'text/plain',
    ]);
    const packed = await request(serve().app).get('/text').set('Accept-Encoding', 'gzip');
    expect([packed.text, packed.headers['content-encoding']]).toEqual(['é'.repeat(700), 'gzip']);
  });
});

describe('the form of a search by POST', () => {
  const TYPE = 'application/x-www-form-urlencoded';
  const WRONG_TYPE = 'Search by POST takes Content-Type: application/x-www-form-urlencoded, in UTF-8.';

  function serveForms() {
    const app = express();
    const fail: ErrorRequestHandler = async (error, req, res, _next) => {
      await readFormOfError(req, res);
      const known = error instanceof FhirError;
      res.status(error.status).json({ code: known && error.issues[0]?.code, text: error.message, form: formOf(res) });
    };
    app.post('/early/_search', () => {
      throw new FhirError(401, []);
    });
    app.all(['/early/other', '/get/_search'], () => {
      throw new FhirError(401, []);
    });
    app.post('/_search', searchForm, (_req, res: Response) => void res.json({ form: formOf(res) }));
    app.post('/entries/:id', (req, res) => {
      const { abandoned, ...asked } = requestOf(req, res);
      res.json({ ...asked, headers: asked.headers.prefer, left: abandoned() });
    });
    app.use(fail);
    return app;
  }
  const post = (path: string, type: string | undefined, body: string) => {
    const sent = request(serveForms()).post(path);
    return type === undefined ? sent : sent.set('Content-Type', type).send(body);
  };

  it.each([
    [TYPE, 'name=a', 'name=a'],
    [`${TYPE}; charset=UTF-8`, ' name=é \r\n', Buffer.from('name=é').toString('latin1')],
    [`${TYPE};charset="utf-8"`, 'a=1', 'a=1'],
    [undefined, '', ''],
    [TYPE, '', ''],
    [TYPE, `a=b${'&a=b'.repeat(63)}`, `a=b${'&a=b'.repeat(63)}`],
  ])('of type %s: %j is read', async (type, body, form) => {
    expect((await post('/_search', type, body)).body).toEqual({ form });
  });

  it.each([
    [`${TYPE}; charset=latin1`, 'a=1', 415, 'not-supported', WRONG_TYPE],
    [`${TYPE}x`, 'a=1', 415, 'not-supported', WRONG_TYPE],
    ['application/json', '{}', 415, 'not-supported', WRONG_TYPE],
    [TYPE, `a=b${'&a=b'.repeat(64)}`, 400, 'too-costly', 'Too many parameters: send 64 parameters at most.'],
    [TYPE, 'a'.repeat(LIMITS.formBytes + 1), 413, false, 'request entity too large'],
  ])('of type %s is refused with its reason', async (type, body, status, code, text) => {
    const answer = await post('/_search', type, body);
    expect([answer.status, answer.body]).toEqual([status, { code, text, form: '' }]);
  });

  it('without a type a body is refused, and none at all is read', async () => {
    const chunked = request(serveForms()).post('/_search').set('Transfer-Encoding', 'chunked');
    chunked.write('a=1');
    expect((await chunked).status).toBe(415);
    expect((await post('/_search', TYPE, 'a'.repeat(LIMITS.formBytes))).status).toBe(200);
  });

  it('is read after an error that came before it, where it may name the format', async () => {
    const forms = [];
    for (const path of ['/early/_search', '/early/_search/', '/early/other'])
      forms.push((await post(path, TYPE, '_format=xml')).body.form);
    expect(forms).toEqual(['_format=xml', '_format=xml', '']);
    const get = await request(serveForms()).get('/get/_search').set('Content-Type', TYPE).send('_format=xml');
    expect(get.body.form).toBe('');
    expect((await post('/early/_search', 'text/plain', '_format=xml')).body).toEqual({ text: '', form: '' });
  });

  it('a request is what an interaction needs of it', async () => {
    const { body } = await post('/entries/7?a=%C3%A9', TYPE, 'x=1').set('Prefer', 'handling=lenient');
    expect(body).toEqual({
      url: '/entries/7?a=%C3%A9',
      params: { id: '7' },
      form: '',
      headers: 'handling=lenient',
      left: false,
    });
  });

  it('a body is read up to its limit, and only uncompressed', async () => {
    const read = bodyReader(5);
    const app = express().post('/', async (req, res) => void res.json({ read: String(await read(req, res)) }));
    app.use(((error, _req, res, _next) => void res.status(error.status).end()) satisfies ErrorRequestHandler);
    const send = (body: string) => request(app).post('/').set('Content-Type', 'text/x').send(body);
    expect((await send('12345')).body).toEqual({ read: '12345' });
    expect([(await send('123456')).status, (await send('1').set('Content-Encoding', 'gzip')).status]).toEqual([
      413, 415,
    ]);
    expect((await request(app).post('/')).body).toEqual({ read: '' });
  });
});

describe('the coding of an answer', () => {
  it.each<[accepted: string | undefined, small: string, large: string, nothing: boolean]>([
    [undefined, 'identity', 'identity', false],
    ['gzip', 'identity', 'gzip', false],
    ['x-gzip', 'identity', 'gzip', false],
    ['gzip, br', 'identity', 'br', false],
    ['gzip;q=0.5', 'identity', 'gzip', false],
    ['gzip;q=0.5, identity;q=0', 'gzip', 'gzip', false],
    ['br;q=0.5, gzip, identity;q=0', 'gzip', 'gzip', false],
    ['identity;q=0', 'identity', 'identity', true],
    ['*;q=0', 'identity', 'identity', true],
    ['deflate', 'identity', 'identity', false],
  ])('%s: %s below 1,400 bytes, %s from there on', (accepted, small, large, nothing) => {
    expect([codingFor(accepted, 1399), codingFor(accepted, 1400)]).toEqual([small, large]);
    expect(takesNoCoding(accepted)).toBe(nothing);
  });

  it.each([10, 131_072, 131_073])('text of %i characters is the same again', async (length) => {
    const text = 'é'.repeat(length);
    expect(gunzipSync(await compressed(text, 'gzip')).toString()).toBe(text);
    expect(brotliDecompressSync(await compressed(text, 'br')).toString()).toBe(text);
  });
});

describe('SEC-76 answers that a client leaves unread', () => {
  function answers(clientId: string, most: number) {
    const reached: string[] = [];
    const middleware = boundUnreadAnswers(most);
    const answer = (writableLength: number, client = clientId) => {
      const closed: (() => void)[] = [];
      let ended = false;
      const res = {
        writableLength,
        locals: { token: { clientId: client, accountId: 'a' } },
        once: (_: string, done: () => void) => closed.push(done),
      } as unknown as Response;
      middleware({ socket: { destroy: () => (ended = true) } } as never, res, () => {});
      const stop = onLimitReached((limit) => reached.push(limit));
      wasWritten(res);
      stop();
      return {
        isEnded: () => ended,
        close: () => {
          for (const done of closed) done();
        },
      };
    };
    return { answer, reached };
  }

  it('end the connection beyond the limit, of this client alone, until others are read', () => {
    const { answer, reached } = answers('portal', 100);
    const first = answer(60);
    expect([first.isEnded(), answer(40).isEnded(), answer(0).isEnded()]).toEqual([false, false, false]);
    expect([answer(1).isEnded(), answer(100, 'other').isEnded(), reached]).toEqual([true, false, ['unread-answers']]);
    first.close();
    expect([answer(59).isEnded(), answer(1).isEnded()]).toEqual([false, true]);
  });

  it('are not counted without a token', () => {
    let passed = 0;
    const res = { locals: {} } as Response;
    boundUnreadAnswers(0)({} as never, res, () => passed++);
    wasWritten(res);
    expect([passed, res.locals['written']]).toEqual([1, undefined]);
  });
});
