// How clients of clients.yaml prove who they are (SEC-47), and what they may do without the person; each issue with its remedy.

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { clientChanges } from '#server/audit/client-changes.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { redact } from '#shared/log/redaction.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const hash = await hashSecret('a-secret-that-is-long-enough-for-production', CLIENT_SECRET_COST);
const callbackUrls = ['https://app.example/callback'];

const secrets = [{ hash }];
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = pair.publicKey.export({ format: 'jwk' });
const privateJwk = pair.privateKey.export({ format: 'jwk' });
const jwks = { keys: [jwk] };
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
const jwksUrl = 'https://app.example/jwks.json';

type Entry = Record<string, unknown>;
const server: Entry = { id: 'app', name: 'App', type: 'server', callbackUrls };
const alone: Entry = { ...server, callbackUrls: [], serviceAccount: true };
const api: Entry = { id: 'api', name: 'API', type: 'api', secrets, scopes: ['PRACTITIONER_READ'] };
const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
const loadEntry = (entry: Entry, env = {}) => load({ clients: JSON.stringify({ clients: [entry] }) }, env);

describe('operations.md: how a client proves who it is', () => {
  it.each([
    ['secrets', { ...server, secrets }],
    ['keys', { ...server, jwks }],
    ['the address of keys', { ...server, jwksUrl }],
    ['a key of P-384', { ...server, jwks: { keys: [p384] } }],
    ['the audience that libraries send', { ...server, jwksUrl, assertionAudience: 'token-endpoint' }],
    ['the audience of an api', { ...api, secrets: [], jwks, assertionAudience: 'issuer' }],
    ['pushed requests and bound tokens', { ...server, secrets, par: 'required', dpop: 'required' }],
    ['a public client with both', { ...server, type: 'browser', par: 'required', dpop: 'required' }],
    ['an api with a secret', api],
    ['an api with keys', { ...api, secrets: [], jwks }],
  ])('%s', async (_name, entry) => {
    const { clients } = await loadEntry(entry, production);
    expect(clients).toHaveLength(1);
  });

  it('development may fetch keys on this machine', async () => {
    await expect(loadEntry({ ...server, jwksUrl: 'http://127.0.0.1:4000/jwks' })).resolves.toBeDefined();
  });

  const cases: [name: string, entry: Entry, path: string, remedy: RegExp][] = [
    ['both', { ...server, secrets, jwks }, 'jwks', /Remove one/],
    ['keys in two ways', { ...server, jwks, jwksUrl }, 'jwksUrl', /Keep one/],
    ['an audience without keys', { ...server, secrets, assertionAudience: 'issuer' }, 'assertionAudience', /jwksUrl/],
    ['a private key', { ...server, jwks: { keys: [privateJwk] } }, 'jwks.keys[0]', /public key.*new pair/],
    ['a shared key', { ...server, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'jwks.keys[0]', /public/],
    ['half a key', { ...server, jwks: { keys: [{ ...jwk, x: 'AA' }] } }, 'jwks.keys[0]', /whole public key/],
    ['the address of keys as keys', { ...server, jwks: jwksUrl }, 'jwks', /JWK Set/],
    ['keys as their address', { ...server, jwksUrl: jwks }, 'jwksUrl', /Address/],
    ['keys without their group', { ...server, jwks: [jwk] }, 'jwks', /`keys: \[/],
    ['a short key', { ...server, jwks: { keys: [short] } }, 'jwks.keys[0]', /2048/],
    ['SEC-47 keys by http', { ...server, jwksUrl: 'http://app.example/jwks' }, 'jwksUrl', /https/],
    ['SEC-47 keys in a private network', { ...server, jwksUrl: 'https://10.0.0.7/jwks' }, 'jwksUrl', /outside/],
    ['SEC-47 keys of a machine nearby', { ...server, jwksUrl: 'https://intranet/jwks' }, 'jwksUrl', /outside/],
    ['an unknown par', { ...server, secrets, par: 'yes' }, 'par', /required/],
    ['pushing without callback', { ...alone, secrets, par: 'required' }, 'par', /Remove/],
  ];
  it.each(cases)('%s is an issue', async (_name, entry, path, remedy) => {
    const issues = await issuesOf(loadEntry(entry, production));
    expect(issues).toEqual([
      expect.objectContaining({
        path: path === '' ? 'clients[0]' : `clients[0].${path}`,
        remedy: expect.stringMatching(remedy),
      }),
    ]);
    // No message shows a key.
    expect(JSON.stringify(issues)).not.toContain(privateJwk.d);
  });
});

describe('operations.md: a key that cannot be used', () => {
  const rsa = { kty: 'RSA', n: short['n'], e: 'AQAB' };
  it.each([
    ['no kind', { ...jwk, kty: undefined }, 'make no P-256 key'],
    ['another kind', { kty: 'oct' }, 'kty "oct" with crv undefined is not used'],
    ['another curve', { ...jwk, crv: 'P-999' }, 'kty "EC" with crv "P-999" is not used'],
    ['no curve', { ...jwk, crv: undefined }, 'kty "EC" with crv undefined is not used'],
    ['half a number', { ...jwk, x: 'AAAA' }, 'make no P-256 key'],
    ['no number', { ...jwk, y: undefined }, 'make no P-256 key'],
    ['a number as such', { ...jwk, y: 12 }, 'make no P-256 key'],
    ['other letters', { ...jwk, y: 'a+/b=' }, 'make no P-256 key'],
    ['no point of the curve', { ...jwk, y: jwk.x }, 'make no P-256 key'],
    ['too few bits', rsa, 'Has 1024 bits'],
  ])('%s is named', async (_name, key, problem) => {
    const issues = await issuesOf(loadEntry({ ...server, jwks: { keys: [jwk, key] } }));
    expect(issues).toEqual([
      expect.objectContaining({ path: 'clients[0].jwks.keys[1]', problem: expect.stringContaining(problem) }),
    ]);
  });
});

it('operations.md: lifetimes of refresh tokens the grace window may be switched off, and is a minute at most', async () => {
  for (const [text, seconds] of [
    ['0', 0],
    ['0s', 0],
    ['60', 60],
    ['1m', 60],
  ] as const) {
    const { settings } = await load({ service: `lifetimes: { refreshTokenGrace: ${text} }` });
    expect(settings.lifetimes.refreshTokenGrace).toBe(seconds);
  }
  const issues = await issuesOf(load({ service: 'lifetimes: { refreshTokenGrace: 61s }' }));
  expect(issues).toEqual([
    expect.objectContaining({ path: 'lifetimes.refreshTokenGrace', remedy: expect.stringMatching(/60s/) }),
  ]);
});

describe('SEC-03 the home page of an application', () => {
  it.each(['https://app.example/home?from=hygie', 'https://app.example'])('%s is taken', async (homeUrl) => {
    const { clients } = await loadEntry({ ...server, secrets, homeUrl }, production);
    expect(clients[0]).toMatchObject({ homeUrl });
  });

  it.each(['http://app.example/', 'javascript:alert(1)', '/home'])('%s is refused', async (homeUrl) => {
    const issues = await issuesOf(loadEntry({ ...server, secrets, homeUrl }, production));
    expect(issues.map(({ path }) => path)).toEqual(['clients[0].homeUrl']);
  });
});

// Access without the person in `clients.yaml`: `refreshTokens: always` (OpenID Connect Core section 11) and `directoryAccess` (RFC 6749
// section 4.4), each with what it needs.
describe('operations.md: access without the person', () => {
  const server = { id: 'app', name: 'App', type: 'server', secrets: [{ hash }], callbackUrls };
  const trusted = { ...server, consent: 'trusted', scopes: ['openid', 'offline_access'] };
  const machine = { ...server, callbackUrls: [], serviceAccount: true, scopes: ['ORGANIZATION_READ'] };
  const reader = { ...machine, directoryAccess: true };

  it.each([
    ['refresh tokens for a trusted client', { ...trusted, refreshTokens: 'always' }],
    ['refresh tokens as ever', { ...server, refreshTokens: 'consent' }],
    ['refresh tokens for a trusted browser', { ...trusted, type: 'browser', secrets: [], refreshTokens: 'always' }],
    ['the directory for a service account', reader],
    ['a service account without it', { ...machine, directoryAccess: false }],
  ])('%s: accepted', async (_name, entry) => {
    const { clients } = await loadEntry(entry);
    expect(clients[0]).toMatchObject({
      id: 'app',
      ...('refreshTokens' in entry && { refreshTokens: entry.refreshTokens }),
    });
  });

  const cases: [name: string, entry: Entry, path: string, remedy: RegExp][] = [
    [
      'always without the scope',
      { ...trusted, scopes: ['email'], refreshTokens: 'always' },
      'refreshTokens',
      /offline_access/,
    ],
    ['no scopes', { ...trusted, scopes: [] }, 'scopes', /List what it may ask for/],
    ['access without scopes', { ...reader, scopes: ['email'] }, 'directoryAccess', /PRACTITIONER_READ or/],
  ];

  it.each(cases)('%s is an issue', async (_name, entry, key, remedy) => {
    const issues = await issuesOf(loadEntry(entry));
    expect(issues).toEqual([
      expect.objectContaining({ path: `clients[0].${key}`, remedy: expect.stringMatching(remedy) }),
    ]);
  });

  it('an edit of either is in the audit trail in words', () => {
    const before = { ...machine, secretHashes: [], consent: 'trusted' } as unknown as ClientSettings;
    const after = { ...before, refreshTokens: 'always', directoryAccess: true } as ClientSettings;
    expect(clientChanges([before], [after]).map(({ details }) => redact(details ?? {}))).toEqual([
      { edit: 'changed', keys: ['refresh tokens: consent -> always', 'directoryAccess true'] },
    ]);
  });
});
