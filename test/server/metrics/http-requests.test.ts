// What requests, refusals of the provider and entries of batches count, class by class.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { countProviderErrors } from '#server/metrics/count-events.ts';
import { directoryOperation, measureEntries, measureRequests, requestClasses } from '#server/metrics/http-requests.ts';
import { recorded, type Told } from './recorded.ts';

type Settings = Parameters<typeof requestClasses>[0];

describe('what requests count', () => {
  const settingsOf = (base = '') =>
    ({ issuer: `https://a.example${base}`, directory: { url: `https://a.example${base}/directory/v2` } }) as Settings;

  describe('the class of an address', () => {
    it.each([
      ['authorization', '/authorize /authorize/abc'],
      ['other', '/authorizer /oauth/token/x /interactions /directory/v22 /directory/docs/x /metrics/x /'],
      ['token', '/oauth/token'],
      ['introspection', '/oauth/introspect'],
      ['revocation', '/oauth/revoke'],
      ['pushed_authorization_request', '/oauth/par'],
      ['userinfo', '/userinfo'],
      ['end_session', '/logout /logout/confirm'],
      ['discovery', '/.well-known/jwks.json /.well-known/openid-configuration'],
      ['sign-in', '/interaction/abc/login'],
      ['account', '/account /account/security'],
      ['account-link', '/account-link/password-reset/x'],
      ['directory', '/directory/v2 /directory/v2/Practitioner'],
      ['reference', '/directory/docs /directory/try /directory/try/try.js'],
      ['demo', '/demo /demo/practitioners'],
      ['assets', '/assets/style.css'],
      ['health', '/health/ready'],
      ['metrics', '/metrics'],
    ])('is %s of %s, also below a path', (route, paths) => {
      for (const path of paths.split(' ')) {
        expect([path, requestClasses(settingsOf())(path)]).toEqual([path, route]);
        expect([path, requestClasses(settingsOf('/connect'))(`/connect${path}`)]).toEqual([path, route]);
      }
    });

    it.each([
      ['/health/live', 'health'],
      ['/.well-known/change-password', 'discovery'],
      ['/account', 'other'],
      ['/metrics', 'other'],
    ])('%s beside an issuer with a path is %s', (path, route) => {
      expect(requestClasses(settingsOf('/connect'))(path)).toBe(route);
    });
  });

  it.each([
    ['metadata', ' / /metadata /.well-known/smart-configuration /SearchParameter /SearchParameter/x /CodeSystem/x'],
    ['search', '/Practitioner /Practitioner/ /Practitioner/_search'],
    ['read', '/Practitioner/1 /Practitioner/1/_history/2'],
    ['export', '/$export /%24export /Practitioner/$export /Practitioner/%24export /$export/edition'],
    ['download', '/$export/edition/file.ndjson /%24export/edition/file.ndjson'],
    ['other', '/anything /anything/1'],
  ])('%s in the directory: %s', (operation, paths) => {
    for (const path of paths.split(' ')) expect([path, directoryOperation(path)]).toEqual([path, operation]);
  });

  function requests(base?: string) {
    const { metrics, told, read } = recorded();
    const measure = measureRequests(metrics, settingsOf(base));
    const ask = (method: string, path: string, status: number, ms = 0) => measure({ method, path, status, ms });
    return { ask, told, read };
  }
  const counted = (route: string, status: string, ...seconds: number[]): Told[] => [
    ['http_requests_total', { route, status }, seconds.length],
    ...seconds.map((one): Told => ['http_request_duration_seconds', { route }, one]),
  ];
  const inDirectory = (operation: string, status: string, ...seconds: number[]): Told[] => [
    ['directory_requests_total', { operation, status }, seconds.length],
    ...seconds.map((one): Told => ['directory_request_duration_seconds', { operation }, one]),
  ];

  it('each counts by its class and status with its seconds, those to the directory by operation, too', async () => {
    const { ask, read } = requests('/base');
    ask('GET', '/base/account', 200, 250);
    ask('POST', '/base/oauth/token', 401, 3000);
    ask('GET', '/base/directory/v2/Practitioner/1', 304);
    ask('POST', '/base/directory/v2', 200);
    ask('POST', '/base/directory/v2/', 503);
    ask('GET', '/base/directory/v2', 200);
    ask('POST', '/base/directory/v2/Practitioner/_search', 199);
    ask('GET', '/base/directory/v2/Practitioner/2', 304, 500);
    expect(await read()).toEqual([
      ...counted('account', '2xx', 0.25),
      ...counted('token', '4xx', 3),
      ...counted('directory', '3xx', 0, 0.5),
      ...inDirectory('read', '3xx', 0, 0.5),
      ...counted('directory', '2xx', 0),
      ...inDirectory('batch', '2xx', 0),
      ...counted('directory', '5xx', 0),
      ...inDirectory('batch', '5xx', 0),
      ...counted('directory', '2xx', 0),
      ...inDirectory('metadata', '2xx', 0),
      ...counted('directory', '1xx', 0),
      ...inDirectory('search', '1xx', 0),
    ]);
    expect(await read()).toEqual([]);
  });

  it('one whose client went away before there was an answer is aborted', async () => {
    const { ask, read } = requests();
    for (const status of [499, 498]) ask('GET', '/account', status);
    expect((await read()).flatMap(([, { status }]) => status ?? [])).toEqual(['aborted', '4xx']);
  });

  it('they are counted 256 at a time, and at each reading', async () => {
    const { ask, told, read } = requests();
    for (let count = 0; count < 255; count += 1) ask('GET', '/account', 200);
    expect(told).toEqual([]);
    ask('GET', '/account', 200);
    expect(told).toEqual(counted('account', '2xx', ...new Array<number>(256).fill(0)));
    told.length = 0;
    ask('GET', '/account', 200);
    expect(await read()).toEqual(counted('account', '2xx', 0));
  });

  it('an entry of a batch counts as what it asks for', () => {
    const { metrics, told } = recorded();
    const count = measureEntries(metrics);
    count('/Practitioner/1', 404, 0.5);
    count('/Organization?name=x', 200, 0.25);
    expect(told).toEqual([
      ['directory_requests_total', { operation: 'read', status: '4xx' }],
      ['directory_request_duration_seconds', { operation: 'read' }, 0.5],
      ['directory_requests_total', { operation: 'search', status: '2xx' }],
      ['directory_request_duration_seconds', { operation: 'search' }, 0.25],
    ]);
  });

  it('refusals of the provider count by endpoint and code', () => {
    const { metrics, told } = recorded();
    const provider = new EventEmitter();
    countProviderErrors(provider as never, metrics);
    const error = { error: 'invalid_request' };
    const events = [
      'authorization',
      'grant',
      'pushed_authorization_request',
      'introspection',
      'revocation',
      'userinfo',
    ];
    for (const event of [...events, 'end_session']) provider.emit(`${event}.error`, {}, error);
    provider.emit('server_error', { oidc: { route: 'token' } }, new Error('x'));
    provider.emit('server_error', {}, {});
    const of = (endpoint: string, code = 'invalid_request') => ['oidc_errors_total', { endpoint, error: code }];
    expect(told).toEqual([
      ['authorization_errors_total', error],
      of('token'),
      ...events.slice(2).map((event) => of(event)),
      of('end_session'),
      of('token', 'server_error'),
      of('other', 'server_error'),
    ]);
    const without = new EventEmitter();
    countProviderErrors(without as never, undefined);
    expect(without.eventNames()).toEqual([]);
  });
});
