// SEC-42, SEC-57: what of its host, scheme and addresses a request has behind the middleware; and the words of a refusal, in the form that each
// address has.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { sendRaw } from '#support/raw-request.ts';
import { DIRECTORY, echo, settingsOf } from '#support/server/echo.ts';

describe('SEC-42, SEC-57 what a request has behind checkHost', () => {
  const sent = { 'x-forwarded-proto': 'ftp', forwarded: 'host=evil', 'x-forwarded-for': '192.0.2.1' };
  const ask = async (path: string, headers: Record<string, string>, settings = settingsOf()) => {
    const { status, body } = await request(echo(settings).app)
      .get(path)
      .set({ ...sent, ...headers });
    return status === 200 ? body : status;
  };

  it.each([
    ['/base/x', 'connect.example', 'connect.example'],
    ['/base/x', 'CONNECT.example:443', 'connect.example'],
    ['/v2/Practitioner', 'annuaire.example:8443', 'annuaire.example:8443'],
    ['/v2', 'annuaire.example:8443', 'annuaire.example:8443'],
    ['/v2', 'connect.example', 'connect.example'],
    ['/base/health/live', '10.0.0.1', 'connect.example'],
    ['/health/live', '10.0.0.1:3000', 'connect.example'],
    ['/base/x', 'annuaire.example:8443', 421],
    ['/v2/x', 'annuaire.example', 421],
    ['/v2/x', 'annuaire.example:443', 421],
    ['/v2x', 'annuaire.example:8443', 421],
    ['/base/x', 'connect.example:80', 421],
    ['/health', '10.0.0.1', 421],
    ['/health/live/x', '10.0.0.1', 421],
  ])('%s at %s is for %s, whatever X-Forwarded-* says where there is no proxy', async (path, host, expected) => {
    const forged = { host, 'x-forwarded-host': 'evil.example' };
    expect(await ask(path, forged)).toEqual(expected === 421 ? 421 : { host: expected, proto: 'https' });
  });

  it.each([
    ['http://connect.example', 'connect.example:80', 'http', 'connect.example'],
    ['http://connect.example', 'connect.example:443', 421, ''],
    ['http://[::1]:3000', '[::1]:3000', 'http', '[::1]:3000'],
  ])('an issuer %s is named by Host: %s', async (issuer, host, proto, named) => {
    expect(await ask('/x', { host }, settingsOf(0, issuer, `${issuer}/v2`))).toEqual(
      proto === 421 ? 421 : { host: named, proto },
    );
  });

  it.each([
    [1, '203.0.113.1, 192.0.2.1', '192.0.2.1'],
    [2, '198.51.100.1, 203.0.113.1, 192.0.2.1:5678', '203.0.113.1, 192.0.2.1'],
    [2, '"[2001:db8::1]:443", [2001:db8::2]', '2001:db8::1, 2001:db8::2'],
    [2, '2001:db8::1, "192.0.2.7"', '2001:db8::1, 192.0.2.7'],
    [3, 'unknown, [no], 192.0.2.1:', 'unknown, [no], 192.0.2.1'],
    [2, '192.0.2.1, , 192.0.2.2,', '192.0.2.1, 192.0.2.2'],
    [2, '', ''],
  ])('behind %i proxies the addresses of %s are %s', async (proxies, header, addresses) => {
    const headers = { host: '10.0.0.1:3000', 'x-forwarded-host': 'evil.example,  connect.example:443 ' };
    expect(await ask('/base/x', { ...headers, 'x-forwarded-for': header }, settingsOf(proxies))).toEqual({
      host: 'connect.example',
      proto: 'https',
      addresses,
    });
  });

  it('behind a proxy that names no host the one of the request counts', async () => {
    const headers = { host: 'connect.example', 'x-forwarded-host': ' ' };
    expect(await ask('/base/x', headers, settingsOf(1))).toMatchObject({ host: 'connect.example' });
    expect(await ask('/base/x', { ...headers, host: '10.0.0.1' }, settingsOf(1))).toBe(421);
  });

  it.each([
    [0, undefined, []],
    [1, '192.0.2.1', []],
    [1, '198.51.100.1, 192.0.2.1', []],
    [1, undefined, ['0 of the 1']],
    [2, '192.0.2.1', ['1 of the 2']],
  ])('behind %i proxies the log says once that addresses are missing in %s', async (proxies, header, said) => {
    const { app, lines } = echo(settingsOf(proxies));
    const get = (path: string, more = {}) =>
      request(app)
        .get(path)
        .set({ host: 'connect.example', ...more });
    await get('/health/ready');
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
    for (let time = 0; time < 2; time++)
      await get('/base/x', header === undefined ? {} : { 'x-forwarded-for': header });
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings).toEqual(said.map((one) => expect.objectContaining({ msg: expect.stringContaining(one) })));
  });

  it('a handler of one host gets the requests for that host alone', async () => {
    const { app } = echo();
    const text = async (path: string, host: string) => (await request(app).get(path).set({ host })).text;
    expect(await text('/base/here', 'connect.example')).toBe('here');
    expect(await text('/v2/here', 'annuaire.example:8443')).toContain('"host":"annuaire.example:8443"');
  });
});

describe('SEC-57 the words of a refusal', () => {
  let server: Server;
  afterEach(() => void server.close());
  const ask = async (settings: Parameters<typeof echo>[0], target: string, ...headers: string[]) => {
    server = createServer({ requireHostHeader: false }, echo(settings).app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''];
    const { status, headers: answered, body } = await sendRaw(origin, lines.join('\r\n'));
    const id = answered.get('x-request-id') ?? '';
    expect([answered.get('cache-control'), id]).toEqual(['no-store', expect.stringMatching(/^[\da-z]{8}-1$/)]);
    return [status, answered.get('content-type'), body.replaceAll(id, 'ID')];
  };
  const PLAIN = 'text/plain; charset=utf-8';
  const FHIR = 'application/fhir+json; charset=utf-8';
  const JSON_TYPE = 'application/json; charset=utf-8';
  const advice = (proxies: number) =>
    'Use that address, or set HYGIE_ISSUER to the one in use. A reverse proxy has to pass on the host that people use: as Host,\n' +
    `or as X-Forwarded-Host, which counts if \`proxies\` in service.yaml is the number of proxies (now ${proxies}).`;
  const french = (issuer: string) =>
    `Ce service n’est ouvert qu’à l’adresse ${issuer}\u00a0: tapez-la dans votre navigateur.\n\n`;
  const both = `This service answers at https://connect.example/base, and its directory at ${DIRECTORY} only.`;

  it.each([
    ['is for evil.example.', 0, '/base', ['Host: evil.EXAMPLE']],
    ['names no host.', 0, '/base', ['Host:']],
    [`is for ${'e'.repeat(100)}.`, 0, '/base', [`Host: ${'e'.repeat(101)}`]],
    ['is for evil.example, as X-Forwarded-Host says.', 1, '/base', ['Host: x', 'X-Forwarded-Host: evil.example']],
    ['is for ??vil<b>, as X-Forwarded-Host says.', 2, '/base', ['Host: x', 'X-Forwarded-Host: \u00e9vil<b>']],
    ['is for http://evil.example.', 0, 'http://evil.example/base', ['Host: connect.example']],
    ['is for http://evil.example.', 1, 'http://evil.example/base', ['Host: x', 'X-Forwarded-Host: connect.example']],
  ])('the request %s', async (words, proxies, target, headers) => {
    const [status, type, body] = await ask(settingsOf(proxies), target, ...headers);
    expect([status, type]).toEqual([421, PLAIN]);
    expect(body).toBe(
      `${french('https://connect.example/base')}${both} The request ${words}\n${advice(proxies)}\nRequest: ID\n`,
    );
  });

  it('names the issuer alone where the directory is at its host', async () => {
    const settings = settingsOf(0, 'https://connect.example', 'https://connect.example/v2');
    const [, , body] = await ask(settings, '/', 'Host: evil.example');
    expect(body).toBe(
      `${french('https://connect.example')}This service answers at https://connect.example only. The request is for evil.example.\n${advice(0)}\nRequest: ID\n`,
    );
  });

  it.each([
    ['send one Host header.', '/base', ['Host: connect.example', 'HOST: connect.example']],
    ['send a Host header.', '/base', ['Most: connect.example', 'Hosts: x']],
    ['Host must be a name or an IP address, with a port if needed.', '/base', ['Host: a b']],
    ['Host must be a name or an IP address, with a port if needed.', '/base', ['Host: connect.example:123456']],
    [
      'send the path of an address, beginning with a slash and without a fragment (#...).',
      '/base#x',
      ['Host: connect.example'],
    ],
    [
      'send the path of an address, beginning with a slash and without a fragment (#...).',
      '*',
      ['Host: connect.example'],
    ],
    ['send 64 parameters at most.', `/base?${'a&'.repeat(70)}`, ['Host: connect.example']],
  ])('400: %s', async (words, target, headers) => {
    expect(await ask(settingsOf(), target, ...headers)).toEqual([400, PLAIN, `Bad Request: ${words}\nRequest: ID\n`]);
  });

  it('is an OperationOutcome below the directory, and JSON without quotation marks at the addresses of programs', async () => {
    const [status, type, body] = await ask(settingsOf(), '/v2/Practitioner', 'Host: evil.example');
    expect([status, type, JSON.parse(String(body))]).toEqual([
      421,
      FHIR,
      expect.objectContaining({
        resourceType: 'OperationOutcome',
        issue: [
          {
            severity: 'error',
            code: 'not-supported',
            diagnostics: `${both} The request is for evil.example.\n${advice(0)}`,
          },
        ],
      }),
    ]);
    server.close();
    const named = ['Host: x', 'X-Forwarded-Host: e"v\\il'];
    for (const path of ['/base/oauth/token', '/.well-known/oauth-authorization-server/base']) {
      const [status, type, body] = await ask(settingsOf(1), path, ...named);
      server.close();
      const words = `${both} The request is for e'v'il, as X-Forwarded-Host says.\n${advice(1)}`.replaceAll('\n', ' ');
      expect([status, type, JSON.parse(String(body))]).toEqual([
        421,
        JSON_TYPE,
        { error: 'invalid_request', error_description: words },
      ]);
    }
    // The same path outside of the issuer is no address of programs.
    expect((await ask(settingsOf(), '/oauth/token', 'Host: evil.example'))[1]).toBe(PLAIN);
  });
});
