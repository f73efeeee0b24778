// Networks, keys, audit and the second factor in service.yaml. A setting that is misspelt must never look as if a second factor were
// demanded when it is not.

import { describe, expect, it } from '@jest/globals';
import { isNetwork, isPrivateAddress, networkCheck } from '#config/networks.ts';
import { clientMetadata, SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import { clientChanges } from '#server/audit/client-changes.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const client = (backchannelLogoutUrl: string) =>
  JSON.stringify({
    clients: [
      { id: 'app', name: 'App', type: 'browser', callbackUrls: ['https://app.example/'], backchannelLogoutUrl },
    ],
  });

describe('SEC-47 SEC-64 networks', () => {
  it.each([
    ...['0.0.0.0', '10.255.255.255', '100.64.0.1', '127.8.9.1', '169.254.169.254', '172.31.0.1', '192.168.1.1'],
    ...['224.0.0.1', '255.255.255.255', '::', '::1', 'fc00::1', 'fdff::1', 'fe80::1', 'ff02::1'],
    // Another notation, which leads to an IPv4 address within: mapped, NAT64, 6to4, Teredo, compatible, translated, local NAT64.
    ...['::ffff:10.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '64:ff9b::192.168.0.1', '64:ff9b::a00:1'],
    ...['64:ff9b::169.254.169.254', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1', '2001:0:a9fe:a9fe::1'],
    ...['::127.0.0.1', '::a9fe:a9fe', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '64:ff9b:1::7f00:1'],
    // Addresses of this machine, of its network, and of nobody.
    ...['fec0::1', 'fe80::1%eth0', 'febf::1', 'ff05::1', '100::1', '5f00::1', '4000::1', '2001:db8::1', '3fff::1'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '192.0.0.192', '192.88.99.1', '198.19.255.255', '240.0.0.1'],
    // Metadata of clouds: Azure, Alibaba, AWS by IPv6.
    ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    ...['8.8.8.8', '168.63.129.17', '172.32.0.1', '2001:200::1', '2003::1', '2a00:1450::1', '3ffe::1', '100.128.0.1'],
    ...['2606:4700::1', '::ffff:8.8.8.8', '64:ff9b::808:808', 'no address'],
  ])('%s is not', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it('are written with a length, and hold what lies in them', () => {
    expect(isNetwork('10.20.0.0/16')).toBe(true);
    const wrong = ['10.20.0.0', '10.20.0.0/33', 'fd12::/129', 'intranet/8', '10.0.0.0/8/8', '/8', '10.0.0.0/-1'];
    expect(wrong.filter(isNetwork)).toEqual([]);
    const holds = networkCheck(['10.20.0.0/16', 'fd12::/16']);
    const addresses = ['10.20.255.1', '::ffff:10.20.0.1', 'fd12::9', '10.21.0.1', 'fd13::9', 'x'];
    expect(addresses.filter(holds)).toEqual(addresses.slice(0, 3));
  });
});

describe('SEC-47 outgoing.privateNetworks', () => {
  const service = 'outgoing: { privateNetworks: [10.20.0.0/16] }';

  it('allows addresses of clients in it, and names whose numbers are looked at when something is sent', async () => {
    for (const url of ['https://10.20.3.4/logout', 'https://intranet/logout', 'https://app.internal/logout']) {
      expect((await load({ service, clients: client(url) })).clients).toHaveLength(1);
      const [issue] = await issuesOf(load({ clients: client(url) }));
      expect(issue).toMatchObject({
        path: 'clients[0].backchannelLogoutUrl',
        remedy: expect.stringMatching(/privateNetworks/),
      });
    }
  });

  it('allows no other network, and is refused when it is none', async () => {
    expect(await issuesOf(load({ service, clients: client('https://10.21.0.1/logout') }))).toHaveLength(1);
    const [issue] = await issuesOf(load({ service: 'outgoing: { privateNetworks: [intranet] }' }));
    expect(issue).toMatchObject({
      path: 'outgoing.privateNetworks[0]',
      remedy: expect.stringContaining('10.20.0.0/16'),
    });
  });
});

describe('keys and audit of service.yaml', () => {
  it('are durations with defaults; keys that are never replaced are 0', async () => {
    const { settings } = await load({});
    expect(settings.keys).toEqual({ rotateAfter: 90 * 86_400, cachedFor: 3600, secrets: [] });
    expect(settings.audit).toEqual({ keep: 365 * 86_400 });
    const never = await load({ service: 'keys: { rotateAfter: never, cachedFor: 10m }\naudit: { keep: 30d }' });
    expect(never.settings.keys).toMatchObject({ rotateAfter: 0, cachedFor: 600 });
    expect(never.settings.audit.keep).toBe(30 * 86_400);
  });

  it.each([
    ['keys: { rotateAfter: 30m }', 'keys.rotateAfter', /cachedFor/],
    ['keys: { rotateAfter: sometimes }', 'keys.rotateAfter', /a new key replaces/],
    ['audit: { kept: 1d }', 'audit.kept', /keep/],
  ])('%s is an issue', async (service, path, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringMatching(remedy) }),
    ]);
  });
});

// Security checklist 41, config/README.md "Second factor": who demands one. A setting that is misspelt, or stands where nobody signs
// in, is an issue: it must never look as if a second factor were demanded when it is not.
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
    ['secondFactor: true', 'secondFactor', expect.stringMatching(/required: for everybody/)],
    ['secondFactor: { required: true }', 'secondFactor', expect.stringMatching(/required: for everybody/)],
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
it('branding.timeZone is a zone that exists, Europe/Paris unless it says otherwise', async () => {
  expect((await load({})).settings.branding.timeZone).toBe('Europe/Paris');
  expect(await issuesOf(load({ service: 'branding: { timeZone: Europe/Lyon }' }))).toEqual([
    expect.objectContaining({ path: 'branding.timeZone', problem: expect.stringContaining('Europe/Paris') }),
  ]);
});
