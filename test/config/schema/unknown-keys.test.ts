// operations.md: unknown keys are issues, each with what is most likely meant: a near name, a key of another group, or a variable. What only
// follows from one is no issue of its own.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { issuesOf, load } from '#support/config/folder.ts';

const callbackUrls = ['https://app.example/callback'];
const browser = { id: 'app', name: 'App', type: 'browser', callbackUrls };
const server = { ...browser, type: 'server', jwksUrl: 'https://app.example/jwks' };
const api = { id: 'api', name: 'API', type: 'api', jwksUrl: 'https://app.example/jwks', scopes: ['profile'] };

type Entry = Record<string, unknown>;
const issuesOfEntry = (entry: Entry) => issuesOf(load({ clients: stringify({ clients: [entry] }) }));
/** The entry with one key under another name. */
function renamed({ ...entry }: Entry, key: string, written: string): Entry {
  const value = entry[key] ?? [];
  delete entry[key];
  return { ...entry, [written]: value };
}

describe('operations.md: unknown keys of clients.yaml', () => {
  it.each([
    ['typ', 'type', browser],
    ['callbackUrl', 'callbackUrls', browser],
    ['callback_urls', 'callbackUrls', browser],
    ['CallbackURLs', 'callbackUrls', browser],
    ['jwks_uri', 'jwksUrl', server],
    ['secret', 'secrets', renamed(server, 'jwksUrl', 'secrets')],
    ['scope', 'scopes', api],
  ])('%s means %s, and that one is missing is no second issue', async (written, key, entry) => {
    const issues = await issuesOfEntry(renamed(entry, key, written));
    expect(issues).toEqual([
      expect.objectContaining({
        path: `clients[0].${written}`,
        problem: 'Unknown key.',
        remedy: `Did you mean "${key}"?`,
      }),
    ]);
  });

  it.each([
    ['hash', 'Did you mean clients[].secrets[].hash?', { ...server, hash: 'x' }],
    [
      'serviceAcount',
      'Did you mean "serviceAccount"?',
      { ...renamed(server, 'callbackUrls', 'serviceAcount'), serviceAcount: true },
    ],
    ['redirect_uris', 'Known keys here: id, name, type', { ...server, redirect_uris: callbackUrls }],
    ['grant_types', 'Remove it', { ...server, grant_types: ['authorization_code'] }],
    ['token_endpoint_auth_method', 'Remove it', { ...server, token_endpoint_auth_method: 'private_key_jwt' }],
    ['response_types', 'Remove it', { ...server, response_types: ['code'] }],
  ])('%s alone is the issue: %s', async (written, remedy, entry) => {
    const issues = await issuesOfEntry(entry);
    expect(issues).toEqual([
      expect.objectContaining({ path: `clients[0].${written}`, remedy: expect.stringContaining(remedy) }),
    ]);
  });

  it('beside the key that it means, both are looked at', async () => {
    const issues = await issuesOfEntry({ ...browser, callbackUrls: [], callbackUrl: callbackUrls });
    expect(issues.map(({ path }) => path)).toEqual(['clients[0].callbackUrl', 'clients[0].callbackUrls']);
  });

  it('a key of an entry that stands at the top gets its path', async () => {
    const [issue] = await issuesOf(load({ clients: 'callbackUrls: []' }));
    expect(issue?.remedy).toBe('Did you mean clients[].callbackUrls?');
  });
});

describe('operations.md: unknown keys of service.yaml', () => {
  it.each([
    ['port: 1', 'Did you mean listen.port, or mail.port, or metrics.port?'],
    ['keep: 1', 'Did you mean directory.keep, or audit.keep?'],
    ['color: x', 'Did you mean branding.colour?'],
    ['namespac: x', 'Did you mean "namespace"?'],
    ['DATABASE_URL: x', 'Set it in the environment of the service.'],
    ['listen: { issuer: x }', 'Did you mean issuer?'],
  ])('%s: %s', async (service, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([expect.objectContaining({ remedy })]);
  });

  it.each([
    ['hsts: { preload: true }', 'hsts.preload', /^It is never sent/],
    ['lifetimes: { passwordReset: 1h }', 'lifetimes.passwordReset', /^It is fixed: .* 30 minutes/],
    ['directory: { guards: { fused: 0.1 } }', 'directory.guards.fused', /^It is fixed at 0.001; --accept/],
  ])('%s was a setting once: said in a sentence', async (service, path, problem) => {
    const issue = { path, problem: expect.stringMatching(problem), remedy: 'Remove the key.' };
    expect(await issuesOf(load({ service }))).toEqual([expect.objectContaining(issue)]);
  });

  it('a misspelt issuer is not missing as well, nor does a misspelt limit fail beside another one', async () => {
    const production = { NODE_ENV: 'production' };
    const service = 'isuer: https://a.example\nlifetimes: { sesion: 30h, sessionIdle: 20h }';
    const issues = await issuesOf(load({ service }, production));
    expect(issues.map(({ path }) => path).sort()).toEqual(['isuer', 'lifetimes.sesion']);
  });
});
