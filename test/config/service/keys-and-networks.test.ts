// config/README.md: keys, audit trail and private networks; SEC-25, SEC-47.

import { describe, expect, it } from '@jest/globals';
import { isNetwork, isPrivateAddress, networkCheck } from '#config/networks.ts';
import { issuesOf, load } from '#support/config/folder.ts';

const client = (backchannelLogoutUrl: string) =>
  JSON.stringify({
    clients: [
      { id: 'app', name: 'App', type: 'browser', callbackUrls: ['https://app.example/'], backchannelLogoutUrl },
    ],
  });

describe('SEC-47 SEC-64 networks', () => {
  it.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '127.8.9.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::192.168.0.1',
    '64:ff9b::a00:1',
    // Another notation, which leads to an IPv4 address within: 6to4, Teredo, compatible, translated, local NAT64.
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001::1',
    '2001:0:a9fe:a9fe::1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b:1::7f00:1',
    '64:ff9b::169.254.169.254',
    '0:0:0:0:0:ffff:127.0.0.1',
    // Addresses of this machine, of its network, and of nobody.
    'fec0::1',
    'fe80::1%eth0',
    'febf::1',
    'ff05::1',
    '100::1',
    '5f00::1',
    '4000::1',
    '2001:db8::1',
    '3fff::1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.0.0.192',
    '192.88.99.1',
    '198.19.255.255',
    '240.0.0.1',
    // Metadata of clouds: Azure, Alibaba, AWS by IPv6.
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '8.8.8.8',
    '168.63.129.17',
    '172.32.0.1',
    '2001:200::1',
    '2003::1',
    '2a00:1450::1',
    '3ffe::1',
    '100.128.0.1',
    '2606:4700::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    'no address',
  ])('%s is not', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it('are written with a length, and hold what lies in them', () => {
    expect(isNetwork('10.20.0.0/16')).toBe(true);
    for (const wrong of [
      '10.20.0.0',
      '10.20.0.0/33',
      'fd12::/129',
      'intranet/8',
      '10.0.0.0/8/8',
      '/8',
      '10.0.0.0/-1',
    ]) {
      expect(isNetwork(wrong)).toBe(false);
    }
    const holds = networkCheck(['10.20.0.0/16', 'fd12::/16']);
    expect(['10.20.255.1', '::ffff:10.20.0.1', 'fd12::9', '10.21.0.1', 'fd13::9', 'x'].map(holds)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
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
    ['keys: { cachedFor: 2d }', 'keys.cachedFor', /1d/],
    ['keys: { rotateAfter: sometimes }', 'keys.rotateAfter', /by a new one/],
    ['audit: { keep: 0 }', 'audit.keep', /./],
    ['audit: { kept: 1d }', 'audit.kept', /keep/],
  ])('%s is an issue', async (service, path, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([
      expect.objectContaining({ path, remedy: expect.stringMatching(remedy) }),
    ]);
  });
});
