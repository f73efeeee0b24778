// operations.md, config/clients.yaml: an issue names what was found (never a secret), at which client, and what to write instead.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';

const SECRET = 'a-secret-that-is-long-enough-for-production';
const good = { id: 'app', name: 'App', callbackUrls: ['https://app.example/callback'] };
const entry = (type: string, changes: Record<string, unknown> = {}) => ({ ...good, type, ...changes });
const loadEntries = (entries: readonly object[]) => load({ clients: JSON.stringify({ clients: entries }) });

describe('operations.md: words of the issues of clients.yaml', () => {
  const server = (text: string) =>
    `clients: [{ id: app, name: App, type: server, callbackUrls: [https://app.example/], ${text} }]`;
  it.each([
    ['a list without its key', '- id: app', '', 'Keys here: clients.'],
    [
      'a secret in place of its hash',
      server('secrets: [abc]'),
      'clients[0].secrets[0]',
      'Write `- hash: "sha256$..."`',
    ],
    ['an empty hash', server('secrets: [{ hash: "" }]'), 'clients[0].secrets[0].hash', 'clients secret'],
    ['no list of secrets', server('secrets: abc'), 'clients[0].secrets', 'Server and api only'],
  ])('%s', async (_name, clients, path, remedy) => {
    expect(await issuesOf(load({ clients }))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringContaining(remedy) }),
    ]);
  });

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
