// What requests, refusals of the provider and entries of batches count, class by class.

import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { directoryOperation, measureEntries, measureRequests, requestClasses } from '#server/metrics/http-requests.ts';
import { countProviderErrors } from '#server/metrics/provider-errors.ts';
import type { Metrics } from '#server/metrics/registry.ts';

type Told = [name: string, labels: Record<string, string>, value?: number];
type Settings = Parameters<typeof requestClasses>[0];

describe('what requests count', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** Metrics that keep what they are told. */
  function recorded() {
    const told: Told[] = [];
    const sources: (() => unknown)[] = [];
    const tell = (...one: Told) => void told.push(one);
    const metrics = { count: tell, observe: tell, addSource: (one: () => unknown) => void sources.push(one) };
    const read = () => {
      for (const source of sources) source();
      return told.splice(0);
    };
    return { metrics: metrics as unknown as Metrics, told, read };
  }
  const settingsOf = (base = '') =>
    ({ issuer: `https://a.example${base}`, directory: { url: `https://a.example${base}/directory/v2` } }) as Settings;

  describe('the class of an address', () => {
    it.each([
      ['/authorize', 'authorization'],
      ['/authorize/abc', 'authorization'],
      ['/authorizer', 'other'],
      ['/oauth/token', 'token'],
      ['/oauth/token/x', 'other'],
      ['/oauth/introspect', 'introspection'],
      ['/oauth/revoke', 'revocation'],
      ['/oauth/par', 'pushed_authorization_request'],
      ['/userinfo', 'userinfo'],
      ['/logout', 'end_session'],
      ['/logout/confirm', 'end_session'],
      ['/.well-known/jwks.json', 'discovery'],
      ['/.well-known/openid-configuration', 'discovery'],
      ['/interaction/abc/login', 'sign-in'],
      ['/interactions', 'other'],
      ['/account', 'account'],
      ['/account/security', 'account'],
      ['/account-link/password-reset/x', 'account-link'],
      ['/directory/v2', 'directory'],
      ['/directory/v2/Practitioner', 'directory'],
      ['/directory/v22', 'other'],
      ['/directory/docs', 'reference'],
      ['/directory/docs/x', 'other'],
      ['/directory/try', 'reference'],
      ['/directory/try/try.js', 'reference'],
      ['/demo', 'demo'],
      ['/demo/practitioners', 'demo'],
      ['/assets/style.css', 'assets'],
      ['/health/ready', 'health'],
      ['/metrics', 'metrics'],
      ['/metrics/x', 'other'],
      ['/', 'other'],
    ])('%s is %s, also below a path', (path, route) => {
      expect(requestClasses(settingsOf())(path)).toBe(route);
      expect(requestClasses(settingsOf('/connect'))(`/connect${path}`)).toBe(route);
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
    ['', 'metadata'],
    ['/', 'metadata'],
    ['/metadata', 'metadata'],
    ['/.well-known/smart-configuration', 'metadata'],
    ['/SearchParameter', 'metadata'],
    ['/SearchParameter/x', 'metadata'],
    ['/CodeSystem/x', 'metadata'],
    ['/Practitioner', 'search'],
    ['/Practitioner/', 'search'],
    ['/Practitioner/_search', 'search'],
    ['/Practitioner/1', 'read'],
    ['/Practitioner/1/_history/2', 'read'],
    ['/$export', 'export'],
    ['/%24export', 'export'],
    ['/Practitioner/$export', 'export'],
    ['/Practitioner/%24export', 'export'],
    ['/$export/edition', 'export'],
    ['/$export/edition/file.ndjson', 'download'],
    ['/%24export/edition/file.ndjson', 'download'],
    ['/anything', 'other'],
    ['/anything/1', 'other'],
  ])('a request to directory%s is %s', (path, operation) => {
    expect(directoryOperation(path)).toBe(operation);
  });

  /** A request by the middleware, which took these milliseconds; `left` means that its client went away. */
  function requests(base?: string) {
    const { metrics, told, read } = recorded();
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const middleware = measureRequests(metrics, settingsOf(base));
    const next = jest.fn();
    const ask = (method: string, path: string, statusCode: number, milliseconds = 0, left: object = {}) => {
      const res = Object.assign(new EventEmitter(), { statusCode, headersSent: true, writableFinished: true }, left);
      middleware({ method, path } as never, res as never, next);
      now += milliseconds;
      res.emit('close');
    };
    return { ask, told, read, next };
  }
  const counted = (route: string, status: string, seconds: number): Told[] => [
    ['http_requests_total', { route, status }],
    ['http_request_duration_seconds', { route }, seconds],
  ];
  const inDirectory = (operation: string, status: string, seconds: number): Told[] => [
    ['directory_requests_total', { operation, status }],
    ['directory_request_duration_seconds', { operation }, seconds],
  ];

  it('each counts by its class and status with its seconds, those to the directory by operation, too', () => {
    const { ask, read, next } = requests('/base');
    ask('GET', '/base/account', 200, 250);
    ask('POST', '/base/oauth/token', 401, 3000);
    ask('GET', '/base/directory/v2/Practitioner/1', 304);
    ask('POST', '/base/directory/v2', 200);
    ask('POST', '/base/directory/v2/', 503);
    ask('GET', '/base/directory/v2', 200);
    ask('POST', '/base/directory/v2/Practitioner/_search', 199);
    expect(next).toHaveBeenCalledTimes(7);
    expect(read()).toEqual([
      ...counted('account', '2xx', 0.25),
      ...counted('token', '4xx', 3),
      ...counted('directory', '3xx', 0),
      ...inDirectory('read', '3xx', 0),
      ...counted('directory', '2xx', 0),
      ...inDirectory('batch', '2xx', 0),
      ...counted('directory', '5xx', 0),
      ...inDirectory('batch', '5xx', 0),
      ...counted('directory', '2xx', 0),
      ...inDirectory('metadata', '2xx', 0),
      ...counted('directory', '1xx', 0),
      ...inDirectory('search', '1xx', 0),
    ]);
    expect(read()).toEqual([]);
  });

  it('one whose client went away before there was an answer is aborted, and no other', () => {
    const { ask, read } = requests();
    const states = [
      { headersSent: false, writableFinished: false },
      { headersSent: true, writableFinished: false },
      { headersSent: false, writableFinished: true },
    ];
    for (const state of states) ask('GET', '/account', 200, 0, state);
    expect(read().flatMap(([, { status }]) => status ?? [])).toEqual(['aborted', '2xx', '2xx']);
  });

  it('they are counted 256 at a time, and at each reading', () => {
    const { ask, told, read } = requests();
    for (let count = 0; count < 255; count += 1) ask('GET', '/account', 200);
    expect(told).toEqual([]);
    ask('GET', '/account', 200);
    expect(told).toHaveLength(512);
    ask('GET', '/account', 200);
    expect(read()).toHaveLength(514);
  });

  it('without metrics nothing is counted, and the request goes on', () => {
    const next = jest.fn();
    measureRequests(undefined, settingsOf())({} as never, {} as never, next);
    expect(next).toHaveBeenCalledTimes(1);
  });

  it('an entry of a batch counts as what it asks for', () => {
    const { metrics, told } = recorded();
    const count = measureEntries(metrics);
    count('/Practitioner/1', 404, 0.5);
    count('/Organization?name=x', 200, 0.25);
    expect(told).toEqual([...inDirectory('read', '4xx', 0.5), ...inDirectory('search', '2xx', 0.25)]);
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
