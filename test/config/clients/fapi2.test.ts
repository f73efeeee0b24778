// SEC-65, docs/relying-parties.md "FAPI 2.0": one line in clients.yaml switches the profile on; whatever is weaker is a fault of the
// configuration that names the remedy.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { adviceOnPkce } from '#config/index.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { newClientKey } from '#support/openid/keys-of-clients.ts';

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

  it('serves a server that acts on its own', async () => {
    expect((await loadEntry(without('callbackUrls', { serviceAccount: true }))).clients).toHaveLength(1);
  });

  it.each<[what: string, entry: object, path: string, remedy: RegExp]>([
    ['a secret', without('jwksUrl', { secrets: [{ env: 'SECRET' }] }), 'clients[0].secrets', /jwks or .*jwksUrl/],
    ['a secret beside keys', { ...ENTRY, secrets: [{ env: 'SECRET' }] }, 'clients[0].secrets', /jwks or .*jwksUrl/],
    ['no key', without('jwksUrl'), 'clients[0]', /jwks, or their address as jwksUrl/],
    ['pkce: optional', { ...ENTRY, pkce: 'optional' }, 'clients[0].pkce', /Remove pkce/],
    ['par: optional', { ...ENTRY, par: 'optional' }, 'clients[0].par', /Remove par/],
    ['dpop: optional', { ...ENTRY, dpop: 'optional' }, 'clients[0].dpop', /Remove dpop/],
    ['RS256', { ...ENTRY, idTokenAlgorithm: 'RS256' }, 'clients[0].idTokenAlgorithm', /ES256 or EdDSA/],
    [
      'a key for RS256',
      without('jwksUrl', { jwks: { keys: [key, newClientKey('RS256').jwk] } }),
      'clients[0].jwks.keys[1].alg',
      /PS256/,
    ],
    ...(['RS384', 'ES384'] as const).map((alg): [string, object, string, RegExp] => [
      `a key for ${alg}`,
      without('jwksUrl', { jwks: { keys: [newClientKey(alg).jwk] } }),
      `clients[0].jwks.keys[0].${alg === 'ES384' ? 'crv' : 'alg'}`,
      /PS256.*P-256/,
    ]),
    [
      'the token endpoint as audience',
      { ...ENTRY, assertionAudience: 'token-endpoint' },
      'clients[0].assertionAudience',
      /Remove assertionAudience/,
    ],
    [
      'an http callback',
      { ...ENTRY, callbackUrls: ['http://localhost:4000/c'] },
      'clients[0].callbackUrls[0]',
      /https/,
    ],
    ['type browser', without('jwksUrl', { type: 'browser' }), 'clients[0].profile', /make the client a server/],
    ['type native', without('jwksUrl', { type: 'native' }), 'clients[0].profile', /make the client a server/],
    [
      'type api',
      without('callbackUrls', { type: 'api', scopes: ['PRACTITIONER_READ'] }),
      'clients[0].profile',
      /make the client a server/,
    ],
  ])('does not admit %s, and names the remedy', async (_what, entry, path, remedy) => {
    expect(await issuesOf(loadEntry(entry))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringMatching(remedy) }),
    ]);
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
    [
      'signed requests of a client with a secret',
      { ...without('profile', { secrets: [{ env: 'SECRET' }], jwksUrl: undefined }), signedRequests: 'required' },
      'signedRequests',
      /jwks or jwksUrl/,
    ],
    [
      'signed requests of a browser',
      { ...without('profile', { type: 'browser', jwksUrl: undefined }), signedRequests: 'required' },
      'signedRequests',
      /make the client a server/,
    ],
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

  it('is advice of `check` for the servers that are served without', async () => {
    const server = without('profile');
    const { settings, clients } = await load({
      clients: stringify({
        clients: [server, { ...server, id: 'strict', pkce: 'required' }, { ...ENTRY, id: 'fapi' }],
      }),
    });
    expect(adviceOnPkce(settings, clients)).toEqual([expect.stringMatching(/optional for dossier: .*pkce: required/)]);
    expect(adviceOnPkce({ pkce: 'required' }, clients)).toEqual([]);
  });

  it('cannot be optional for a client without a secret', async () => {
    const browser = { ...without('profile'), type: 'browser', pkce: 'optional', jwksUrl: undefined };
    expect(await issuesOf(loadEntry(browser))).toEqual([expect.objectContaining({ path: 'clients[0].pkce' })]);
  });
});
