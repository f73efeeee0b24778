// operations.md, config/clients.yaml; SEC-02 (callbacks that can be registered), SEC-16 and SEC-17 (secrets), SEC-47.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '#config/index.ts';
import { CLIENT_SECRET_COST, hashSecret, matchingHashes } from '#shared/crypto/secret-hash.ts';
import { type Environment, environmentOf, folderWith, issuesOf, load } from '#support/config/folder.ts';

const SECRET = 'a-secret-that-is-long-enough-for-production';
const hash = await hashSecret(SECRET, CLIENT_SECRET_COST);
const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };

interface Entry {
  [key: string]: unknown;
}

/** A good entry of the type, with keys replaced, added, or (undefined) left out. */
function entry(type: string, changes: Entry = {}): Entry {
  const secrets = type === 'server' ? { secrets: [{ hash }] } : {};
  return { id: 'app', name: 'App', type, ...secrets, callbackUrls: ['https://app.example/callback'], ...changes };
}

// JSON is YAML.
const loadEntries = (entries: readonly Entry[], env: Environment = {}) =>
  load({ clients: JSON.stringify({ clients: entries }) }, env);

describe('operations.md: clients.yaml', () => {
  it('the example of the document is read as it stands', async () => {
    const clients = `
clients:
  - id: portail-patient
    name: Portail patient
    type: server
    secrets:
      - hash: "${hash}"
    callbackUrls: [https://portail.example/callback]
    logoutUrls: [https://portail.example/]
    backchannelLogoutUrl: https://portail.example/logout-token
    scopes: [openid, email, profile, PRACTITIONER_READ, ORGANIZATION_READ]
    consent: ask`;
    expect((await load({ clients }, production)).clients).toEqual([
      {
        id: 'portail-patient',
        name: 'Portail patient',
        type: 'server',
        secretHashes: [hash],
        callbackUrls: ['https://portail.example/callback'],
        logoutUrls: ['https://portail.example/'],
        backchannelLogoutUrl: 'https://portail.example/logout-token',
        scopes: ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
        consent: 'ask',
        serviceAccount: false,
      },
    ]);
  });

  it('what may be left out has the most careful default', async () => {
    const { clients } = await loadEntries([entry('browser')]);
    expect(clients[0]).toMatchObject({
      secretHashes: [],
      logoutUrls: [],
      scopes: ['openid', 'email', 'profile'],
      consent: 'ask',
      serviceAccount: false,
    });
  });

  it('an absent or empty file registers nobody', async () => {
    expect((await load({ clients: '' })).clients).toEqual([]);
    expect((await loadConfiguration(environmentOf(folderWith({ 'service.yaml': '' })))).clients).toEqual([]);
  });

  it('a client that acts on its own needs no callback', async () => {
    const { clients } = await loadEntries([entry('server', { callbackUrls: undefined, serviceAccount: true })]);
    expect(clients[0]).toMatchObject({ serviceAccount: true, callbackUrls: [] });
  });

  const twice = ['https://a.example/', 'https://a.example/'];
  const cases: [name: string, type: string, changes: Entry, path: string, remedy: RegExp][] = [
    ['an unknown key', 'server', { callbackUrl: 'x' }, '.callbackUrl', /"callbackUrls"/],
    ['a missing name', 'server', { name: undefined }, '', /Add it/],
    ['a name that turns the text after it', 'server', { name: 'App \u202e' }, '.name', /Write the name anew/],
    ['an unknown type', 'sever', {}, '.type', /"server"/],
    ['an unknown scope', 'browser', { scopes: ['openid', 'PRACTITIONER_REED'] }, '.scopes[1]', /"PRACTITIONER_READ"/],
    ['an id with a space', 'browser', { id: 'my app' }, '.id', /letters/],
    ['an id with a colon', 'browser', { id: 'urn:app' }, '.id', /letters/],
    ['an id that is a number', 'browser', { id: 12 }, '.id', /^Correct it: client_id: letters/],
    ['the same callback twice', 'browser', { callbackUrls: twice }, '.callbackUrls', /Remove/],
    ['three secrets', 'server', { secrets: [{ hash }, { hash }, { hash }] }, '.secrets', /two during a rotation/],
    ['a secret with two sources', 'server', { secrets: [{ hash, env: 'X' }] }, '.secrets[0]', /one of/],
    ['a variable that is not set', 'server', { secrets: [{ env: 'NOT_SET' }] }, '.secrets[0].env', /Set it/],
    ['a file that is not there', 'server', { secrets: [{ file: 'gone' }] }, '.secrets[0].file', /Create it/],
  ];
  it.each(cases)('%s is an issue', async (_name, type, changes, path, remedy) => {
    const issue = { path: `clients[0]${path}`, line: 1, remedy: expect.stringMatching(remedy) };
    expect(await issuesOf(loadEntries([entry(type, changes)]))).toEqual([expect.objectContaining(issue)]);
  });

  it('an entry that is text, and an id that stands twice, are issues', async () => {
    const [text] = await issuesOf(loadEntries(['app' as unknown as Entry]));
    expect(text).toMatchObject({ path: 'clients[0]', line: 1, remedy: expect.stringMatching(/^Write `- id: /) });
    const [second] = await issuesOf(loadEntries([entry('browser'), entry('native')]));
    expect(second).toMatchObject({ path: 'clients[1].id', line: 1, remedy: expect.stringMatching(/of its own/) });
  });

  it('all issues of all entries are named at once', async () => {
    const entries = [
      entry('server', { secrets: [], nam: 'x' }),
      entry('browser', { id: 'b c', callbackUrls: ['http://x.example/'] }),
    ];
    const issues = await issuesOf(loadEntries(entries, { NODE_ENV: 'production' }));
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'clients[0]',
      'clients[0].nam',
      'clients[1].callbackUrls[0]',
      'clients[1].id',
      'issuer',
    ]);
  });
});

describe('SEC-02 only https callbacks can be registered', () => {
  const everywhere: [type: string, address: string][] = [
    ['server', 'https://app.example/callback?tenant=1'],
    ['server', 'https://app.example:8443/callback'],
    ['browser', 'https://app.example'],
    ['native', 'https://app.example/callback'],
    ['native', 'http://127.0.0.1/callback'],
    ['native', 'http://localhost:4000/callback'],
    ['native', 'http://[::1]/callback'],
    ['native', 'com.example.app:/callback'],
  ];
  it.each(everywhere)('%s %s is taken in production', async (type, address) => {
    const { clients } = await loadEntries(
      [entry(type, { callbackUrls: [address], logoutUrls: [address] })],
      production,
    );
    expect(clients[0]?.callbackUrls).toEqual([address]);
  });

  const never: [type: string, address: string][] = [
    ['server', 'http://app.example/callback'],
    ['server', 'https://app.example/callback#there'],
    ['server', 'https://app.example/callback#'],
    ['server', 'https://*.app.example/callback'],
    ['server', 'https://app.example/*'],
    ['server', 'https://user@app.example/callback'],
    ['server', 'https://user:pw@app.example/callback'],
    ['server', 'https://@app.example/callback'],
    ['server', 'https://app.example/a/../callback'],
    ['server', 'https://app.example/%2e%2E/callback'],
    ['server', 'https:\\\\app.example\\callback'],
    ['server', 'https://app.example/call back'],
    ['server', 'https://app.example/cab\u0000'],
    ['server', 'https://äpp.example/callback'],
    ['server', '/callback'],
    ['server', 'app.example/callback'],
    ['server', 'com.example.app:/callback'],
    ['server', 'javascript:alert(1)'],
    ['browser', 'data:text/html,x'],
    ['native', 'myapp:/callback'],
    ['native', 'javascript:alert(1)'],
    ['native', 'http://192.168.1.10/callback'],
    ['native', 'http://localhost.evil.example/callback'],
    ['native', 'http://127.0.0.1.evil.example/callback'],
  ];
  it.each(never)('%s %s is refused, even in development, as callback and after logout', async (type, address) => {
    for (const key of ['callbackUrls', 'logoutUrls']) {
      const issues = await issuesOf(loadEntries([entry(type, { [key]: [address] })]));
      expect(issues.map(({ path }) => path)).toEqual([`clients[0].${key}[0]`]);
    }
  });

  it.each(['server', 'browser'])('%s may return to this machine by http in development only', async (type) => {
    const changes = { callbackUrls: ['http://localhost:3000/demo/callback'] };
    await expect(loadEntries([entry(type, changes)])).resolves.toBeDefined();
    const issues = await issuesOf(loadEntries([entry(type, changes)], production));
    expect(issues).toEqual([
      expect.objectContaining({ path: 'clients[0].callbackUrls[0]', problem: expect.stringContaining('Production') }),
    ]);
  });
});

describe('SEC-47 back-channel addresses: private networks are blocked', () => {
  const refused = [
    'http://app.example/logout',
    'https://10.1.2.3/logout',
    'https://192.168.0.1/logout',
    'https://172.16.9.9/logout',
    'https://169.254.169.254/latest',
    'https://127.0.0.1/logout',
    'https://2130706433/logout',
    'https://[::1]/logout',
    'https://[fd00::1]/logout',
    'https://[::ffff:10.0.0.1]/logout',
    'https://localhost/logout',
    'https://intranet/logout',
    'https://db.internal/logout',
    'https://printer.local/logout',
  ];
  it.each(refused)('%s is refused', async (address) => {
    const issues = await issuesOf(loadEntries([entry('server', { backchannelLogoutUrl: address })], production));
    expect(issues.map(({ path }) => path)).toEqual(['clients[0].backchannelLogoutUrl']);
  });

  it.each(['https://app.example/logout', 'https://172.32.0.1/logout', 'https://[2606:4700::1]/logout'])(
    '%s is taken',
    async (address) => {
      await expect(
        loadEntries([entry('server', { backchannelLogoutUrl: address })], production),
      ).resolves.toBeDefined();
    },
  );
});

describe('SEC-16 secrets become hashes on the way in', () => {
  it('hash, env and file give hashes of the right secret, and nothing else of it', async () => {
    const folder = folderWith({ 'service.yaml': '' });
    writeFileSync(join(folder, 'app.secret'), `${SECRET}\n`);
    writeFileSync(
      join(folder, 'clients.yaml'),
      JSON.stringify({
        clients: [
          entry('server', { secrets: [{ hash }, { env: 'APP_SECRET' }] }),
          entry('server', { id: 'other', secrets: [{ file: 'app.secret' }] }),
        ],
      }),
    );
    const { clients } = await loadConfiguration({ ...production, ...environmentOf(folder), APP_SECRET: SECRET });
    const hashes = clients.flatMap(({ secretHashes }) => secretHashes);
    expect(hashes).toHaveLength(3);
    for (const one of hashes) {
      expect(await matchingHashes(SECRET, [one])).toEqual([one]);
      expect(await matchingHashes(`${SECRET}x`, [one])).toEqual([]);
    }
    expect(JSON.stringify(clients)).not.toContain(SECRET);
  });

  it('SEC-17 a secret pasted where its hash belongs is refused without being shown', async () => {
    const issues = await issuesOf(loadEntries([entry('server', { secrets: [{ hash: SECRET }] })]));
    expect(issues).toEqual([expect.objectContaining({ path: 'clients[0].secrets[0].hash' })]);
    expect(JSON.stringify(issues)).not.toContain(SECRET);
  });

  it('production refuses a secret that can be guessed, development takes it', async () => {
    const entries = [entry('server', { secrets: [{ env: 'APP_SECRET' }] })];
    await expect(loadEntries(entries, { APP_SECRET: 'short-secret' })).resolves.toBeDefined();
    const issues = await issuesOf(loadEntries(entries, { ...production, APP_SECRET: 'short-secret' }));
    expect(issues).toEqual([expect.objectContaining({ path: 'clients[0].secrets[0].env' })]);
    expect(JSON.stringify(issues)).not.toContain('short-secret');
  });
});
