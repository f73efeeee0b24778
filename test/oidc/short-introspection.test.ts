// Which introspections go the short way (`src/oidc/tokens/short-introspection.ts`): the usual ones. What is odd in the least goes the
// library's, with its form unread. That both answer the same is told by `short-ways.test.ts`.

import { createServer, type RequestListener, request, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClientRegistry } from '../../src/oidc/clients/client-registry.ts';
import { createClientThrottle } from '../../src/oidc/clients/secret-throttle.ts';
import { introspectShortly, type ShortIntrospection } from '../../src/oidc/tokens/short-introspection.ts';
import { hashSecret, verifyClientSecret } from '../../src/shared/crypto/secret-hash.ts';
import { openOidcRecords } from '../../src/store/oidc/oidc-records.ts';
import { LOW_COST } from '../support/hash-cost.ts';
import { basic, clientsWithApis } from '../support/oidc/api-clients.ts';
import { newClientKey } from '../support/oidc/keys-of-clients.ts';
import { signIn } from '../support/oidc/relying-party.ts';
import { type RunningService, SECRET, startService } from '../support/service.ts';

/** An operator may choose it; the library takes it in a form, and not in the header (RFC 6749 appendix A.2). */
const ODD_SECRET = 'a secret with é and \u0007';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the short way', () => {
  let service: RunningService;
  let server: Server;
  let token: string;
  let waits: number;
  let options: ShortIntrospection;
  /** Stands for the library: says what it could read. */
  const library: RequestListener = async (req, res) => {
    let read = '';
    for await (const chunk of req) read += String(chunk);
    res.end(`library: ${read}`);
  };
  beforeAll(async () => {
    const known = (await clientsWithApis(newClientKey()))[0]?.secretHashes ?? [];
    const secretHashes = [...known, await hashSecret(ODD_SECRET, LOW_COST)];
    await verifyClientSecret(ODD_SECRET, secretHashes);
    // As if secrets had been left beside the key.
    const clients = (await clientsWithApis(newClientKey())).map((client) => ({ ...client, secretHashes }));
    service = await startService({ clients });
    token = (await signIn(service)).tokens.access_token;
    await verifyClientSecret(SECRET, secretHashes);
    const throttle = createClientThrottle(service.settings.limits);
    options = {
      settings: service.settings,
      clients: createClientRegistry(clients),
      records: openOidcRecords(service.database),
      throttle: { ...throttle, wait: () => waits },
      addressOf: () => '127.0.0.1',
    };
    server = createServer((req, res) => introspectShortly(options, library)(req, res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    waits = 0;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
  });

  interface Asked {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    /** What is sent, at several times. */
    parts: string[];
  }
  const ask = ({ method = 'POST', path = '/oauth/introspect', headers = {}, parts }: Asked): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as { port: number };
      const length = { 'content-length': String(Buffer.byteLength(parts.join(''))) };
      const sent = { ...FORM, ...(headers['transfer-encoding'] ? {} : length), ...headers };
      const asking = request({ host: '127.0.0.1', port, method, path, headers: sent }, (answer) => {
        let body = '';
        answer.on('data', (chunk) => {
          body += String(chunk);
        });
        answer.on('end', () => resolve(body));
      });
      asking.on('error', reject);
      const send = (at: number) => {
        if (at < parts.length) asking.write(parts[at] as string, () => setTimeout(() => send(at + 1), 20));
        else asking.end();
      };
      asking.flushHeaders();
      send(0);
    });
  const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const usual = () => formOf({ token, client_id: 'server', client_secret: SECRET });

  it('is taken by who shows a known secret for a token that holds', async () => {
    expect(JSON.parse(await ask({ parts: [usual()] }))).toMatchObject({ active: true, client_id: 'server' });
    const body = formOf({ token, token_type_hint: 'access_token' });
    const answer = await ask({ parts: [body], headers: basic('api', SECRET) });
    expect(JSON.parse(answer)).toMatchObject({ active: true, scope: 'email PRACTITIONER_READ' });
  });

  const odd: [string, () => Asked][] = [
    ['a GET', () => ({ method: 'GET', parts: [usual()] })],
    ['another address', () => ({ path: '/oauth/introspect?a=b', parts: [usual()] })],
    ['another kind of content', () => ({ headers: { 'content-type': 'application/json' }, parts: [usual()] })],
    ['a charset', () => ({ headers: { 'content-type': `${FORM['content-type']}; charset=latin1` }, parts: [usual()] })],
    ['a page of a site', () => ({ headers: { origin: 'https://application.example' }, parts: [usual()] })],
    ['a compressed form', () => ({ headers: { 'content-encoding': 'gzip' }, parts: [usual()] })],
    ['an attestation', () => ({ headers: { 'oauth-client-attestation': 'x' }, parts: [usual()] })],
    ['a form that comes in pieces', () => ({ parts: [usual().slice(0, 30), usual().slice(30)] })],
    ['a form without a length', () => ({ headers: { 'transfer-encoding': 'chunked' }, parts: [usual()] })],
    ['a long form', () => ({ parts: [`${usual()}&token_type_hint=${'x'.repeat(3000)}`] })],
    ['a member twice', () => ({ parts: [`${usual()}&client_id=server`] })],
    ['an empty member', () => ({ parts: [`${usual()}&token_type_hint=`] })],
    ['an unknown member', () => ({ parts: [`${usual()}&resource=x`] })],
    [
      'a secret outside of ASCII in the header',
      () => ({ headers: basic('server', ODD_SECRET), parts: [formOf({ token })] }),
    ],
    ['no token', () => ({ parts: [formOf({ client_id: 'server', client_secret: SECRET })] })],
    ['an assertion', () => ({ parts: [`${formOf({ token })}&client_assertion=x`] })],
    ['a secret not seen before', () => ({ parts: [formOf({ token, client_id: 'server', client_secret: 'new' })] })],
    ['a client with a key', () => ({ parts: [formOf({ token, client_id: 'signing-api', client_secret: SECRET })] })],
    [
      'a token that it may not know',
      () => ({ parts: [formOf({ token, client_id: 'narrow', client_secret: SECRET })] }),
    ],
    [
      'a token that nobody knows',
      () => ({ parts: [formOf({ token: 'x', client_id: 'server', client_secret: SECRET })] }),
    ],
    [
      'lower case',
      () => ({
        headers: { authorization: basic('server', SECRET).authorization.replace('B', 'b') },
        parts: [formOf({ token })],
      }),
    ],
  ];
  it.each(odd)('is not for %s: the library finds the form as it came', async (_what, asked) => {
    const request = asked();
    expect(await ask(request)).toBe(`library: ${request.parts.join('')}`);
  });

  it('SEC-15 is closed to an address that has to wait', async () => {
    waits = 60;
    expect(await ask({ parts: [usual()] })).toBe(`library: ${usual()}`);
  });

  it('leaves a database that does not answer to the library', async () => {
    const { records } = options;
    try {
      options.records = { findTokenContext: () => Promise.reject(new Error('away')) };
      expect(await ask({ parts: [usual()] })).toBe(`library: ${usual()}`);
    } finally {
      options.records = records;
    }
  });
});
