// The middleware of every request: its line in the log, also where the client goes away; headers that keep a page from being framed, scripted
// or leaked; cookies and preferences.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { errorHandler, notFound } from '#server/middleware/errors.ts';
import { withoutLongPreferences } from '#server/middleware/parsing-limits.ts';
import { cookieLifetime, securityHeaders } from '#server/middleware/response-headers.ts';
import { openedForAll } from '#support/opened.ts';
import { faultyPages } from '#support/openid/faulty-pages.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';
import { scriptElements } from '#web/assets.ts';
import { contentSecurityPolicy, pageHeaders } from '#web/http/page-headers.ts';

describe('requests in the log of a service', () => {
  const service = openedForAll(startService);

  const lines = (from = 0) =>
    service
      .logged()
      .split('\n')
      .filter(Boolean)
      .slice(from)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = (path: string, from = 0) =>
    lines(from).filter((line) => line['msg'] === 'request' && line['path'] === path);

  /** Sends the beginning of a form, and goes away when the service has begun to read it. */
  async function breakOff(path: string): Promise<void> {
    const { host, hostname, port } = new URL(service.issuer);
    const socket = connect(Number(port), hostname);
    const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nExpect: 100-continue';
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${type}\r\n\r\nclient_id=`);
    await once(socket, 'data');
    socket.destroy();
  }

  describe('the request log', () => {
    it.each(['/authorize', '/oauth/token', '/interaction/x/login', '/directory/v2/Practitioner/_search'])(
      'a request to %s that its client breaks off is one line with 499, as nginx has it, and no error',
      async (path) => {
        const logged = path.replace('/x/', '/…/');
        const before = requests(logged).length;
        const added = () => requests(logged).slice(before);
        await breakOff(path);
        await until(() => added().length > 0, `a line of ${path}`);
        const brokenOff = { method: 'POST', level: 'info', status: 499, aborted: true };
        expect(added()).toEqual([expect.objectContaining(brokenOff)]);
        expect(lines().filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
      },
    );

    it('SEC-17 SEC-58 what a stranger writes into a path or calls a grant type is neither in the log nor in the audit trail', async () => {
      const before = lines().length;
      await (await fetch(`${service.issuer}/${'a'.repeat(20_000)}`)).text();
      const body = new URLSearchParams({ client_id: 'browser', grant_type: 'g'.repeat(20_000) });
      await (await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body })).text();
      await (await fetch(`${service.issuer}/oauth/token/${'s3cret/'.repeat(20)}`, { method: 'POST' })).text();
      await (await fetch(`${service.issuer}/directory/v2/Practitioner/819082680976`)).text();
      for (const path of ['/…', `/oauth/token${'/…'.repeat(8)}`, '/directory/v2/Practitioner/…']) {
        expect([path, requests(path, before)]).toEqual([path, [expect.objectContaining({ level: 'info' })]]);
      }
      const [refused] = await service.database('audit_events').where({ event: 'token.refused' });
      expect(JSON.parse(refused?.details)).toMatchObject({ grant: 'unknown', error: 'unsupported_grant_type' });
    });

    it('has the method that was sent', async () => {
      await (await fetch(`${service.issuer}/userinfo`, { method: 'POST' })).text();
      expect(requests('/userinfo')).toEqual([expect.objectContaining({ method: 'POST', status: 401 })]);
      expect(requests('/userinfo')[0]).not.toHaveProperty('aborted');
    });
  });

  it('answers stand in this order: what is refused first, and what each address is', async () => {
    const many = `?${'a&'.repeat(70)}`;
    const pages = ['/', '/nothing', '/demo', '/outbox', '/account', '/directory/docs', '/directory/try', '/sandbox'];
    const files = ['/favicon.ico', '/robots.txt', '/assets/x/y', '/health/live', '/metrics', '/picture/x'];
    const documents = ['/.well-known/openid-configuration', '/.well-known/change-password', '/directory/v2/metadata'];
    const known = [...pages, ...files, ...documents].map((path) => ({ path, host: '' }));
    const refused = ['/', '/health/live', '/directory/v2', '/oauth/token'].flatMap((path) => [
      { path, host: 'evil.example' },
      { path: path + many, host: '' },
      { path: path + many, host: 'evil.example' },
    ]);
    const told = [];
    for (const { path, host } of [...known, ...refused]) {
      const asked = request(service.issuer)
        .get(path)
        .redirects(0)
        .set('accept', 'text/html, */*')
        .ok(() => true);
      const { status, headers } = await (host ? asked.set('host', host) : asked);
      const kept = ['content-type', 'cache-control', 'content-encoding', 'vary', 'location'].map(
        (name) => headers[name]?.split('?')[0],
      );
      const common = ['x-request-id', 'content-security-policy', 'x-frame-options'].map((name) => name in headers);
      told.push(
        [path.replace(many, '?a&...'), host, status, ...kept, ...common].join(' | ').replaceAll(service.issuer, ''),
      );
    }
    expect(told).toMatchSnapshot();
  });
});

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

// A header of preferences costs no more than it is worth.
describe('preferences', () => {
  const app = express().use(withoutLongPreferences);
  app.get('/', ({ headers }, res) => void res.json(headers));

  it.each(['accept', 'accept-language', 'accept-encoding', 'accept-charset'])(
    '%s counts up to 2,048 characters',
    async (name) => {
      const sent = async (value: string) =>
        ((await request(app).get('/').set(name, value)).body as Record<string, string>)[name];
      const longest = `a/b;x="${';'.repeat(2041)}`;
      expect(await sent(longest)).toBe(longest);
      expect(await sent(`${longest};`)).toBeUndefined();
    },
  );
});

// SEC-33: a cookie ends after as many seconds as the service means, whatever the clock of a browser says.
async function sent(...cookies: string[]): Promise<string[] | undefined> {
  const app = express().use(cookieLifetime);
  app.get('/', (_req, res) => {
    if (cookies.length > 0) res.setHeader('Set-Cookie', cookies.length === 1 ? String(cookies[0]) : cookies);
    res.send('x');
  });
  const { headers } = await request(app).get('/');
  return headers['set-cookie'] as unknown as string[] | undefined;
}

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toUTCString();
const LONG_AGO = new Date(0).toUTCString();

describe('SEC-33 a cookie', () => {
  it('that ends at a time also ends after as many seconds', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(IN_AN_HOUR) - 3_600_400);
    const cookie = `a=1; Path=/; Expires=${IN_AN_HOUR}; HttpOnly`;
    expect(await sent(cookie)).toEqual([`${cookie}; Max-Age=3600`]);
    clock.mockRestore();
  });

  it('that ends at once ends after no second', async () => {
    expect(await sent(`a=; expires=${LONG_AGO}`)).toEqual([`a=; expires=${LONG_AGO}; Max-Age=0`]);
  });

  it('with a Max-Age of its own, or of a session, stays as it is, among others too', async () => {
    const own = `a=1; Max-Age=5; Expires=${IN_AN_HOUR}`;
    expect(await sent(own, 'b=2; Path=/', `c=; Expires=${LONG_AGO}`)).toEqual([
      own,
      'b=2; Path=/',
      `c=; Expires=${LONG_AGO}; Max-Age=0`,
    ]);
    expect(await sent()).toBeUndefined();
  });
});

describe('an address that nothing serves, and a handler that fails', () => {
  const { ask, logged, options } = faultyPages();
  const settings = { issuer: 'https://connect.example' };
  const failing = errorHandler(options.site, settings, options.log as never);
  const HTML = { accept: 'text/html' };
  const NOTHING =
    'nothing is served at this address: https://connect.example/.well-known/openid-configuration has the addresses';

  it.each([
    ['/x', HTML, 404, 'not_found', undefined],
    ['/x', {}, 404, undefined, { error: 'not_found', error_description: NOTHING }],
    ['/oauth/token', HTML, 404, undefined, { error: 'not_found', error_description: NOTHING }],
  ])('%s with %j is %i', async (path, headers, status, onPage, json) => {
    const answer = await ask(notFound(options.site, settings), undefined, { path, headers });
    expect([answer.status, answer.cacheControl]).toEqual([status, 'no-store']);
    if (json) expect(JSON.parse(answer.html)).toEqual(json);
    else expect(answer.html).toContain(`<dd>${onPage}</dd>`);
  });

  it.each([
    [new Error('broken'), 500, 'server_error', 'this service failed: its log has the cause', 1],
    [Object.assign(new Error('x'), { status: 413 }), 413, 'invalid_request', 'the request cannot be read', 0],
    [
      Object.assign(new Error('away'), { code: 'SQLITE_BUSY' }),
      503,
      'temporarily_unavailable',
      'the database does not answer at the moment: try again soon',
      1,
    ],
  ])('%s is %i for programs, and the log has what is our fault', async (error, status, code, description, lines) => {
    logged.length = 0;
    const answer = await ask(failing, error);
    expect([answer.status, JSON.parse(answer.html)]).toEqual([status, { error: code, error_description: description }]);
    const line = [{ err: error, reference: 'request-1' }, 'a request failed'];
    expect(logged).toEqual(lines === 1 ? [line] : []);
  });

  it('an answer that had begun ends too early, and the log says so', async () => {
    logged.length = 0;
    const error = new Error('broken');
    await expect(ask(failing, error, { begun: true })).rejects.toThrow();
    expect(logged).toEqual([[{ err: error }, 'a request failed after its answer had begun']]);
  });
});
