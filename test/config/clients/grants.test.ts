// Access without the person in `clients.yaml`: `refreshTokens: always` (OpenID Connect Core section 11) and `directoryAccess` (RFC 6749
// section 4.4), each with what it needs.

import { describe, expect, it } from '@jest/globals';
import { adviceOnRefreshTokens } from '#config/service/advice.ts';
import type { ClientSettings } from '#config/settings.ts';
import { clientChanges } from '#server/audit/client-changes.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { redact } from '#shared/log/redaction.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const hash = await hashSecret('a-secret-that-is-long-enough-for-production', CLIENT_SECRET_COST);
const callbackUrls = ['https://app.example/callback'];
const server = { id: 'app', name: 'App', type: 'server', secrets: [{ hash }], callbackUrls };
const trusted = { ...server, consent: 'trusted', scopes: ['openid', 'offline_access'] };
const machine = { ...server, callbackUrls: [], serviceAccount: true, scopes: ['ORGANIZATION_READ'] };
const api = { ...server, type: 'api', callbackUrls: [], scopes: ['PRACTITIONER_READ'] };

const loadEntry = (entry: object) => load({ clients: JSON.stringify({ clients: [entry] }) });

describe('operations.md: access without the person', () => {
  it.each([
    ['refresh tokens for a trusted client', { ...trusted, refreshTokens: 'always' }],
    ['refresh tokens as ever', { ...server, refreshTokens: 'consent' }],
    ['refresh tokens for a trusted browser', { ...trusted, type: 'browser', secrets: [], refreshTokens: 'always' }],
    ['the directory for a service account', { ...machine, directoryAccess: true }],
    ['a service account without it', { ...machine, directoryAccess: false }],
  ])('%s: accepted', async (_name, entry) => {
    const { clients } = await loadEntry(entry);
    expect(clients[0]).toMatchObject({
      id: 'app',
      ...('refreshTokens' in entry && { refreshTokens: entry.refreshTokens }),
    });
  });

  const { consent: _consent, ...asking } = trusted;
  const cases: [name: string, entry: object, path: string, remedy: RegExp][] = [
    [
      'always without trust',
      { ...asking, refreshTokens: 'always' },
      'refreshTokens',
      /consent: trusted.*prompt=consent/,
    ],
    [
      'always without the scope',
      { ...trusted, scopes: ['openid'], refreshTokens: 'always' },
      'refreshTokens',
      /offline_access/,
    ],
    [
      'always of a native',
      { ...asking, type: 'native', secrets: [], refreshTokens: 'always' },
      'refreshTokens',
      /^Remove/,
    ],
    ['another word', { ...trusted, refreshTokens: 'never' }, 'refreshTokens', /consent/],
    ['refresh tokens of an api', { ...api, refreshTokens: 'consent' }, 'refreshTokens', /Remove/],
    [
      'a directory access of nobody',
      { ...server, scopes: ['PRACTITIONER_READ'], directoryAccess: true },
      'directoryAccess',
      /serviceAccount: true/,
    ],
    [
      'a directory access without scopes',
      { ...machine, scopes: ['email'], directoryAccess: true },
      'directoryAccess',
      /PRACTITIONER_READ or/,
    ],
    [
      'a directory access of a browser',
      { ...server, type: 'browser', secrets: [], directoryAccess: true },
      'directoryAccess',
      /server/,
    ],
    ['a directory access of an api', { ...api, directoryAccess: true }, 'directoryAccess', /server/],
  ];
  it('a server without callbacks may be meant to act without a person: the remedy names both', async () => {
    const { callbackUrls: _, ...entry } = { ...server, scopes: ['PRACTITIONER_READ'] };
    expect(await issuesOf(loadEntry(entry))).toEqual([
      expect.objectContaining({
        path: 'clients[0].callbackUrls',
        remedy: expect.stringMatching(/the address .*serviceAccount: true/),
      }),
    ]);
  });

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

  it('check names the trusted clients whose applications have to send prompt=consent', () => {
    const client = { ...trusted, secretHashes: [] } as unknown as ClientSettings;
    expect(adviceOnRefreshTokens([client, { ...client, id: 'other' }])).toEqual([
      expect.stringMatching(/app, other: .*prompt=consent.*refreshTokens: always/),
    ]);
    expect(
      adviceOnRefreshTokens([
        { ...client, refreshTokens: 'always' },
        { ...client, consent: 'ask' },
      ]),
    ).toEqual([]);
    // It is written down: the application does.
    expect(adviceOnRefreshTokens([{ ...client, refreshTokens: 'consent' }])).toEqual([]);
  });
});
