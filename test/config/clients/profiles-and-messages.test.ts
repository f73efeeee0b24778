// Profiles of clients.yaml (SEC-65), keys for brokers and older libraries, and what the messages about a client say.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { newClientKey } from '#support/openid/keys-of-clients.ts';

const hash = await hashSecret('a-secret-that-is-long-enough-for-production', CLIENT_SECRET_COST);
const key = newClientKey().jwk;
const ENTRY = {
  id: 'dossier',
  name: 'Dossier',
  type: 'server',
  profile: 'fapi2',
  jwksUrl: 'https://dossier.example/jwks.json',
  callbackUrls: ['https://dossier.example/callback'],
};
const ENVIRONMENT = { SECRET: 'a-secret-of-the-test-run-that-opens-nothing' };
const loadEntry = (entry: object) => load({ clients: stringify({ clients: [entry] }) }, ENVIRONMENT);
const without = (name: keyof typeof ENTRY, more: object = {}) => {
  const { [name]: _gone, ...rest } = ENTRY;
  return { ...rest, ...more };
};

const withKeys = (...keys: object[]) => without('jwksUrl', { jwks: { keys } });

describe('SEC-65 profile: fapi2', () => {
  it('is one line: it switches on all the rest', async () => {
    const { clients } = await loadEntry(ENTRY);
    const demanded = { par: 'required', dpop: 'required', pkce: 'required', idTokenAlgorithm: 'ES256' };
    expect(clients).toMatchObject([{ ...ENTRY, ...demanded, secretHashes: [] }]);
  });

  it('allows EdDSA, keys in the file, and what it demands said again', async () => {
    const entry = without('jwksUrl', { jwks: { keys: [key] }, idTokenAlgorithm: 'EdDSA', par: 'required' });
    expect((await loadEntry(entry)).clients).toMatchObject([{ idTokenAlgorithm: 'EdDSA', dpop: 'required' }]);
  });

  it.each<[what: string, entry: object, path: string, remedy: RegExp]>([
    ['a secret', without('jwksUrl', { secrets: [{ env: 'SECRET' }] }), '.secrets', /jwks or .*jwksUrl/],
    ['a secret beside keys', { ...ENTRY, secrets: [{ env: 'SECRET' }] }, '.secrets', /jwks or .*jwksUrl/],
    ['no key', without('jwksUrl'), '', /jwks, or their address as jwksUrl/],
    ['both kinds of keys', { ...ENTRY, jwks: { keys: [key] } }, '.jwksUrl', /Keep one/],
    ['pkce: optional', { ...ENTRY, pkce: 'optional' }, '.pkce', /Remove pkce/],
    ['par: optional', { ...ENTRY, par: 'optional' }, '.par', /Remove par/],
    ['dpop: optional', { ...ENTRY, dpop: 'optional' }, '.dpop', /Remove dpop/],
    ['RS256', { ...ENTRY, idTokenAlgorithm: 'RS256' }, '.idTokenAlgorithm', /ES256 or EdDSA/],
    ['a key for RS256', withKeys(key, newClientKey('RS256').jwk), '.jwks.keys[1].alg', /PS256/],
    ['a key for RS384', withKeys(newClientKey('RS384').jwk), '.jwks.keys[0].alg', /PS256.*P-256/],
    ['a key for ES384', withKeys(newClientKey('ES384').jwk), '.jwks.keys[0].crv', /PS256.*P-256/],
    ['another audience', { ...ENTRY, assertionAudience: 'token-endpoint' }, '.assertionAudience', /Remove assertionA/],
    ['an http callback', { ...ENTRY, callbackUrls: ['http://localhost:4000/c'] }, '.callbackUrls[0]', /https/],
  ])('does not admit %s, and names the remedy', async (_what, entry, path, remedy) => {
    const issue = { path: `clients[0]${path}`, remedy: expect.stringMatching(remedy) };
    expect(await issuesOf(loadEntry(entry))).toEqual([expect.objectContaining(issue)]);
  });
});

describe('SEC-65 profile: fapi2-message-signing', () => {
  const signing = { ...ENTRY, profile: 'fapi2-message-signing' };

  it('is one line: all of fapi2, and signed requests and responses', async () => {
    const fapi2 = { par: 'required', dpop: 'required', pkce: 'required', idTokenAlgorithm: 'ES256' };
    const signed = { signedRequests: 'required', signedResponses: 'required' };
    expect((await loadEntry(signing)).clients).toMatchObject([{ ...fapi2, ...signed }]);
    expect((await loadEntry(ENTRY)).clients[0]).not.toHaveProperty('signedRequests');
  });

  it.each<[what: string, entry: object, path: string, remedy: RegExp]>([
    ['signedRequests: optional', { ...signing, signedRequests: 'optional' }, 'signedRequests', /Remove signedRequests/],
    ['signedResponses: optional', { ...signing, signedResponses: 'optional' }, 'signedResponses', /Remove signed/],
    ['pkce: optional', { ...signing, pkce: 'optional' }, 'pkce', /Remove pkce/],
  ])('does not admit %s, and names the remedy', async (_what, entry, path, remedy) => {
    expect(await issuesOf(loadEntry(entry))).toEqual([
      expect.objectContaining({ path: `clients[0].${path}`, remedy: expect.stringMatching(remedy) }),
    ]);
  });
});

describe('SEC-65 pkce', () => {
  it('may be required of one server, or in service.yaml of all', async () => {
    const server = without('profile', { pkce: 'required' });
    const { settings, clients } = await loadEntry(server);
    expect([settings.pkce, clients[0]?.pkce]).toEqual(['optional', 'required']);
    expect((await load({ service: 'pkce: required' })).settings.pkce).toBe('required');
  });

  it('cannot be optional for a client without a secret', async () => {
    const browser = { ...without('profile'), type: 'browser', pkce: 'optional', jwksUrl: undefined };
    expect(await issuesOf(loadEntry(browser))).toEqual([expect.objectContaining({ path: 'clients[0].pkce' })]);
  });
});

describe('operations.md: further keys of clients', () => {
  const backchannelLogoutUrl = 'https://app.example/logout-token';
  const callbackUrls = ['https://app.example/callback'];
  const server = { id: 'app', name: 'App', type: 'server', secrets: [{ hash }], callbackUrls };
  const api = { id: 'api', name: 'API', type: 'api', secrets: [{ hash }], scopes: ['email'] };

  const loadEntries = (...clients: object[]) => load({ clients: JSON.stringify({ clients }) });

  it.each<[what: string, entries: object[]]>([
    ['no sid in logout tokens', [{ ...server, backchannelLogoutUrl, backchannelLogoutSession: false }]],
    ['a sid in logout tokens', [{ ...server, backchannelLogoutUrl, backchannelLogoutSession: true }]],
    ['another type of logout token', [{ ...server, backchannelLogoutUrl, logoutTokenType: 'JWT' }]],
    ['claims about the sign-in', [{ ...server, authenticationClaims: true }]],
    ['an api that takes tokens of one client', [{ ...api, tokensOf: ['app'] }, server]],
  ])('%s', async (_what, entries) => {
    expect((await loadEntries(...entries)).clients).toMatchObject(
      entries.map((entry) => ({ ...entry, secrets: undefined })).map(({ secrets: _secrets, ...entry }) => entry),
    );
  });

  it.each<[what: string, entries: object[], path: string, problem: RegExp, remedy: RegExp]>([
    ['another type', [{ ...server, backchannelLogoutUrl, logoutTokenType: 'jwt' }], 'logoutTokenType', /./, /JWT/],
    ['an unknown client', [{ ...api, tokensOf: ['app', 'gone'] }, server], 'tokensOf[1]', /"gone"/, /Name the clients/],
    ['tokens of an api', [{ ...api, tokensOf: ['api'] }], 'tokensOf[0]', /gets no tokens/, /Name/],
  ])('%s: an issue', async (_what, entries, path, problem, remedy) => {
    expect(await issuesOf(loadEntries(...entries))).toEqual([
      expect.objectContaining({
        path: `clients[0].${path}`,
        problem: expect.stringMatching(problem),
        remedy: expect.stringMatching(remedy),
      }),
    ]);
  });
});

// operations.md, config/clients.yaml: an issue names what was found (never a secret), at which client, and what to write instead.
describe('operations.md: words of the issues of clients.yaml', () => {
  const SECRET = 'a-secret-that-is-long-enough-for-production';
  const good = { id: 'app', name: 'App', callbackUrls: ['https://app.example/callback'] };
  const entry = (type: string, changes: Record<string, unknown> = {}) => ({ ...good, type, ...changes });
  const loadEntries = (entries: readonly object[]) => load({ clients: JSON.stringify({ clients: entries }) });

  it('a value that is not known is repeated, unless it may be a secret', async () => {
    const [word, secret] = await issuesOf(
      loadEntries([entry('browser', { par: 'yes' }), entry('browser', { id: 'b', par: SECRET })]),
    );
    expect(word?.problem).toBe('Must be one of optional, required, but is "yes".');
    expect(secret?.problem).toBe('Must be one of optional, required, but is a text that is not shown.');
    const [algorithm] = await issuesOf(loadEntries([entry('browser', { idTokenAlgorithm: 'HS256' })]));
    expect(algorithm?.remedy).toBe('Did you mean "RS256"?');
  });

  it.each([{ env: `${SECRET}!` }, { env: SECRET.replaceAll('-', '_') }, { file: SECRET }])(
    'SEC-17 a secret pasted where a reference belongs is not repeated: %j',
    async (reference) => {
      const issues = await issuesOf(loadEntries([entry('server', { secrets: [reference] })]));
      expect(issues).toHaveLength(1);
      expect(JSON.stringify(issues)).not.toMatch(/that.is.long.enough/);
    },
  );

  it.each([
    [{ env: 'APP_SECRET_OF_THE_PRODUCTION_SERVICE_A' }, 'variable APP_SECRET_OF_THE_PRODUCTION_SERVICE_A is not set'],
    [{ env: '__proto__' }, 'variable __proto__ is not set'],
    [{ env: 'constructor' }, 'variable constructor is not set'],
    [{ file: 'secrets/of-the-applications-of-the-clinic/app.secret' }, '/of-the-applications-of-the-clinic/app.secret'],
  ])('the file or variable of a secret that is absent is named: %j', async (reference, words) => {
    const [issue] = await issuesOf(loadEntries([entry('server', { secrets: [reference] })]));
    expect(issue?.problem).toContain(words);
  });

  it('an issue names the client beside its path', async () => {
    const loading = loadEntries([entry('browser'), entry('browser', { id: 'spa', callbackUrls: ['/callback'] })]);
    const [issue] = await issuesOf(loading);
    expect(issue).toMatchObject({ path: 'clients[1].callbackUrls[0]', client: 'spa' });
    await expect(loading).rejects.toThrow('clients.yaml:1 clients[1].callbackUrls[0] (client spa)\n');
  });

  it.each([
    ['localhost:4000/callback', 'Write it in full: https://app.example/bye'],
    ['app.example:8443/callback', 'Write it in full: https://app.example/bye'],
    ['app.example/callback', 'Write it in full: https://app.example/bye'],
    ['htps:/app.example/callback', 'com.example.app:/callback, or https.'],
    ['https:/app.example/callback', 'Write it in full: https://app.example/bye'],
    ['https:///app.example/callback', 'Write it in full: https://app.example/bye'],
    ['https//app.example/callback', 'Write it in full: https://app.example/bye'],
    ['htps://user:pw@app.example/', 'Remove what stands before the @.'],
    ['/bye', 'Write it in full: https://app.example/bye'],
    ['bye', 'Write it in full: https://app.example/bye'],
  ])('an address that is not absolute, %s, has an example as its remedy', async (address, remedy) => {
    const issues = await issuesOf(loadEntries([entry('native', { logoutUrls: [address] })]));
    expect(issues).toEqual([
      expect.objectContaining({ path: 'clients[0].logoutUrls[0]', remedy: expect.stringContaining(remedy) }),
    ]);
  });
});
