// Keys of `clients.yaml` for brokers, older libraries and apis beside the directory: back-channel logout, `authenticationClaims`,
// `tokensOf`. Each with what it needs, and each issue with its remedy.

import { describe, expect, it } from '@jest/globals';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const hash = await hashSecret('a-secret-that-is-long-enough-for-production', CLIENT_SECRET_COST);
const backchannelLogoutUrl = 'https://app.example/logout-token';
const callbackUrls = ['https://app.example/callback'];
const server = { id: 'app', name: 'App', type: 'server', secrets: [{ hash }], callbackUrls };
const api = { id: 'api', name: 'API', type: 'api', secrets: [{ hash }], scopes: ['email'] };

const loadEntries = (...clients: object[]) => load({ clients: JSON.stringify({ clients }) });

describe('operations.md: further keys of clients', () => {
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
    [
      'no sid without logout tokens',
      [{ ...server, backchannelLogoutSession: false }],
      'clients[0].backchannelLogoutSession',
      /logout tokens/,
      /or add backchannelLogoutUrl/,
    ],
    [
      'a type without logout tokens',
      [{ ...server, logoutTokenType: 'JWT' }],
      'clients[0].logoutTokenType',
      /logout tokens/,
      /or add backchannelLogoutUrl/,
    ],
    [
      'another type',
      [{ ...server, backchannelLogoutUrl, logoutTokenType: 'jwt' }],
      'clients[0].logoutTokenType',
      /./,
      /JWT/,
    ],
    [
      'logout tokens of an api',
      [{ ...api, backchannelLogoutSession: false }],
      'clients[0].backchannelLogoutSession',
      /./,
      /^Remove backchannelLogoutSession/,
    ],
    ['the type of an api', [{ ...api, logoutTokenType: 'JWT' }], 'clients[0].logoutTokenType', /nobody signs in/, /./],
    [
      'claims of an api',
      [{ ...api, authenticationClaims: true }],
      'clients[0].authenticationClaims',
      /nobody signs in/,
      /Remove/,
    ],
    ['tokens of others', [{ ...server, tokensOf: ['app'] }], 'clients[0].tokensOf', /Only an api/, /client an api/],
    ['tokens of nobody', [{ ...api, tokensOf: [] }], 'clients[0].tokensOf', /./, /./],
    [
      'tokens of an unknown client',
      [{ ...api, tokensOf: ['app', 'gone'] }, server],
      'clients[0].tokensOf[1]',
      /"gone"/,
      /Name the clients/,
    ],
    ['tokens of an api', [{ ...api, tokensOf: ['api'] }], 'clients[0].tokensOf[0]', /gets no tokens/, /Name/],
  ])('%s: an issue', async (_what, entries, path, problem, remedy) => {
    expect(await issuesOf(loadEntries(...entries))).toEqual([
      expect.objectContaining({
        path,
        problem: expect.stringMatching(problem),
        remedy: expect.stringMatching(remedy),
      }),
    ]);
  });
});
