// Security checklist 41, config/README.md "Second factor": who demands one. A setting that is misspelt, or stands where nobody signs
// in, is an issue: it must never look as if a second factor were demanded when it is not.

import { describe, expect, it } from '@jest/globals';
import { clientMetadata, SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import { clientChanges } from '#server/audit/client-changes.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const browser = { id: 'app', name: 'App', type: 'browser', callbackUrls: ['https://app.example/callback'] };
const server = { ...browser, type: 'server', jwksUrl: 'https://app.example/jwks' };
const loadEntry = (entry: object) => load({ clients: JSON.stringify({ clients: [entry] }) });

describe('SEC-41 secondFactor of service.yaml', () => {
  it.each([
    ['', 'optional'],
    ['secondFactor: optional', 'optional'],
    ['secondFactor: required', 'required'],
  ])('"%s" is %s', async (service, secondFactor) => {
    expect((await load({ service })).settings).toMatchObject({ secondFactor });
  });

  it.each([
    ['secondFactor: requierd', 'secondFactor', 'Did you mean "required"?'],
    ['secondFactor: true', 'secondFactor', expect.stringMatching(/required: of everybody/)],
    ['secondFactor: { required: true }', 'secondFactor', expect.stringMatching(/required: of everybody/)],
    ['secondFactors: required', 'secondFactors', 'Did you mean "secondFactor"?'],
    ['second_factor: required', 'second_factor', 'Did you mean "secondFactor"?'],
    ['limits: { secondFactor: required }', 'limits.secondFactor', 'Did you mean secondFactor?'],
  ])('%s is refused: %s', async (service, path, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([expect.objectContaining({ path, remedy })]);
  });
});

describe('SEC-41 secondFactor of a client', () => {
  it.each([browser, server, { ...browser, type: 'native', callbackUrls: ['com.example.app:/callback'] }])(
    'required is kept, and passed to the sign-in',
    async (entry) => {
      const [client] = (await loadEntry({ ...entry, secondFactor: 'required' })).clients;
      expect(client).toMatchObject({ secondFactor: 'required' });
      expect(client && clientMetadata(client)).toMatchObject({ [SECOND_FACTOR]: 'required' });
    },
  );

  it('a client without it is as the service has it', async () => {
    const [client] = (await loadEntry(browser)).clients;
    expect(client).not.toHaveProperty('secondFactor');
    expect(client && clientMetadata(client)).not.toHaveProperty(SECOND_FACTOR);
  });

  it.each(['optional', 'requierd', true, { required: true }, ['required'], null])('%j is refused', async (value) => {
    expect(await issuesOf(loadEntry({ ...browser, secondFactor: value }))).toEqual([
      expect.objectContaining({
        path: 'clients[0].secondFactor',
        problem: expect.stringMatching(/^Must be required/),
      }),
    ]);
  });

  const api = { id: 'api', name: 'API', type: 'api', jwksUrl: 'https://app.example/jwks', scopes: ['profile'] };
  it.each([
    ['an api', api, 'has no use for secondFactor', 'Remove secondFactor, or make the client a server.'],
    [
      'a client that only acts on its own',
      { ...server, callbackUrls: [], serviceAccount: true },
      'Nobody signs in to a client without callbackUrls.',
      'Remove secondFactor.',
    ],
  ])('nobody signs in to %s: it cannot demand one', async (_name, entry, problem, remedy) => {
    expect(await issuesOf(loadEntry({ ...entry, secondFactor: 'required' }))).toEqual([
      expect.objectContaining({
        path: 'clients[0].secondFactor',
        problem: expect.stringContaining(problem),
        remedy,
      }),
    ]);
  });

  it.each([
    ['second_factor', 'Did you mean "secondFactor"?'],
    ['require_mfa', 'Known keys here'],
  ])('%s is no key: %s', async (written, remedy) => {
    expect(await issuesOf(loadEntry({ ...browser, [written]: 'required' }))).toEqual([
      expect.objectContaining({ path: `clients[0].${written}`, remedy: expect.stringContaining(remedy) }),
    ]);
  });

  it('SEC-48 an edit of it is recorded with the value before', async () => {
    const before = (await loadEntry(browser)).clients;
    const after = (await loadEntry({ ...browser, secondFactor: 'required' })).clients;
    const keysOf = (events: ReturnType<typeof clientChanges>) => events.map(({ details }) => details?.['keys']);
    expect(keysOf(clientChanges(before, after))).toEqual([['secondFactor of the service -> required']]);
    expect(keysOf(clientChanges(after, before))).toEqual([['secondFactor required -> of the service']]);
  });
});
