// Files and folders that the configuration names, the address at which this machine asks, and the clients of the service itself.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ownClient, ownTryClients, tryClientIn } from '#config/built-in-clients.ts';
import { clientsAsWritten, loadClients } from '#config/clients/load-clients.ts';
import { exposedFiles, watchedFolderIssue } from '#config/service/advice.ts';
import { listeningAddress } from '#config/service/load-settings.ts';
import { maskClient } from '#config/settings.ts';
import { load } from '#support/config/folder.ts';
import { newFolder } from '#support/new-folder.ts';

const HOLDS =
  'Holds the data folder (HYGIE_DATA), which changes all the time. Use a folder of its own for the editions.';

describe('directory.watch', () => {
  const folder = newFolder();
  const at = (...names: string[]) => join(folder, ...names);
  beforeAll(() => {
    for (const name of ['editions', 'all/data', 'alldata']) mkdirSync(at(name), { recursive: true });
    writeFileSync(at('file'), '');
    symlinkSync(at('all'), at('link'));
  });

  it.each([
    ['editions', 'all/data', undefined],
    ['all/data', 'alldata', undefined],
    ['all', 'alldata', undefined],
    ['all/data', 'all', undefined],
    ['none', 'all/data', 'There is no such folder. Make it, or mend the path.'],
    ['file', 'all/data', 'Is a file. Name the folder into which editions are put.'],
    ['file/in', 'all/data', 'Is a file. Name the folder into which editions are put.'],
    ['all', 'all/data', HOLDS],
    ['link', 'all/data', HOLDS],
    ['all', 'all', HOLDS],
  ])('%s beside the data folder %s: %s', async (watched, data, said) => {
    const issue = await watchedFolderIssue(at(watched), at(data));
    expect(issue && `${issue.problem} ${issue.remedy}`).toBe(said);
  });

  it('cannot be the root, nor a path that no system reads', async () => {
    expect((await watchedFolderIssue('/', at('missing')))?.problem).toMatch(/^Holds the data folder/);
    expect(await watchedFolderIssue(`/${'x'.repeat(300)}`, folder)).toEqual({
      problem: 'Cannot be read (ENAMETOOLONG).',
      remedy: 'Give the user who runs Hygie the right to read it.',
    });
  });
});

it('SEC-63: secrets that others read, and configuration that others write, are named with the command that mends it', async () => {
  const folder = newFolder();
  const file = (name: string, mode: number, text = '') => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };
  const ofClients = 'clients: [{ secrets: [{ file: secret }, { env: X }, null] }, { id: a }, null]';
  const ofService = 'metrics: { token: { file: token } }';
  const [service, clients] = [file('service.yaml', 0o644, ofService), file('clients.yaml', 0o602, ofClients)];
  const [secret, key, ofKeys] = [file('secret', 0o604), file('key', 0o640), file('keys', 0o644)];
  const tls = { certificate: service, key };
  const exposed = (listen: object, env = {}) =>
    exposedFiles(env, { configFolder: folder, listen } as Parameters<typeof exposedFiles>[1]);
  const read = (path: string) => `everybody on this machine can read ${path}, which holds a secret: chmod 600 ${path}`;
  const written = `everybody on this machine can change ${clients}, and so register clients: chmod o-w ${clients}`;
  expect(await exposed({})).toEqual([read(secret), written]);
  expect(await exposed({ tls }, { HYGIE_KEY_SECRET_FILE: ofKeys })).toEqual([read(ofKeys), read(secret), written]);
  chmodSync(key, 0o644);
  expect(await exposed({ tls })).toEqual([read(key), read(secret), written]);
  const [mail, token] = [file('mail', 0o644), file('token', 0o604)];
  const named = { HYGIE_MAIL_PASSWORD_FILE: mail };
  expect(await exposed({}, named)).toEqual([read(mail), read(token), read(secret), written]);
});

it.each([
  ['', {}, { host: '127.0.0.1', port: 3000, tls: false }],
  ['listen: { host: "::", port: 8080 }', {}, { host: '::1', port: 8080, tls: false }],
  ['listen: { host: 10.0.0.7, tls: { certificate: c, key: k } }', {}, { host: '10.0.0.7', port: 3000, tls: true }],
  ['listen: { host: 5, port: high, tls: null }', {}, { host: '127.0.0.1', port: 3000, tls: false }],
  ['listen: null', {}, { host: '127.0.0.1', port: 3000, tls: false }],
  ['listen: { port: 8080 }', { HYGIE_PORT: '9090' }, { host: '127.0.0.1', port: 9090, tls: false }],
])('the address at which this machine reaches the service of %j with %j', async (service, env, address) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'service.yaml'), service);
  expect(await listeningAddress({ HYGIE_CONFIG: folder, ...env })).toEqual(address);
});

describe('clients', () => {
  it('of the service itself: the account space, which nobody else can use', async () => {
    const { settings } = await load({ service: 'branding: { name: Annuaire }' }, { HYGIE_ISSUER: 'https://c.example' });
    expect(ownClient(settings)).toEqual({
      id: 'hygie-account',
      name: 'Annuaire',
      type: 'server',
      secretHashes: [],
      callbackUrls: ['https://c.example/account/signed-in'],
      logoutUrls: [],
      scopes: ['openid'],
      consent: 'trusted',
      serviceAccount: false,
    });
  });

  it('of the page to try the directory: its own in development and in a sandbox, or the one that is named', async () => {
    const { settings } = await load({});
    const asked = (more: object, named?: string) => {
      const directory = { ...settings.directory, ...(named !== undefined && { tryClient: named }) };
      return { ...settings, mode: 'production' as const, sandbox: false, ...more, directory };
    };
    const ids = (of: ReturnType<typeof asked>) => ownTryClients(of).map(({ id }) => id);
    const [own] = ownTryClients(asked({ sandbox: true }));
    expect([own?.type, own?.consent, own?.secretHashes, own?.serviceAccount]).toEqual([
      'browser',
      'trusted',
      [],
      false,
    ]);
    expect([{ mode: 'development' }, { sandbox: true }, {}].map((more) => ids(asked(more)))).toEqual([
      [own?.id],
      [own?.id],
      [],
    ]);
    expect(ids(asked({ sandbox: true }, 'chosen'))).toEqual([]);
    const clients = (id: string | undefined) => ({ find: (one: string) => (one === id ? own : undefined) });
    expect(tryClientIn(asked({}), clients(own?.id))).toBe(own);
    expect(tryClientIn(asked({}, 'chosen'), clients('chosen'))).toBe(own);
    expect(tryClientIn(asked({}, 'chosen'), clients(own?.id))).toBeUndefined();
  });

  it('are read as they are written, also from a file with issues, and shown without their secrets', async () => {
    const folder = newFolder();
    const write = (text: string) => writeFileSync(join(folder, 'clients.yaml'), text);
    write('clients: [{ id: a, type: server }, { id: b, jwksUrl: x }, { id: c, type: 5, jwks: {} }, { id: 7 }, null]');
    expect(await clientsAsWritten({ configFolder: folder })).toEqual([
      { id: 'a', type: 'server', signs: false },
      { id: 'b', signs: true },
      { id: 'c', signs: true },
    ]);
    write('clients: none');
    expect(await clientsAsWritten({ configFolder: folder })).toEqual([]);
    write('clients: [{ id: a, name: A, type: server, callbackUrls: ["https://a.example/"], secrets: [{ env: X }] }]');
    const [client] = await loadClients({ mode: 'development', configFolder: folder }, { X: 'x'.repeat(40) });
    const shown = client && maskClient(client);
    expect(shown).toMatchObject({ id: 'a', secrets: ['(hidden)'] });
    expect(shown).not.toHaveProperty('secretHashes');
  });
});
