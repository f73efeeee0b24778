import { SocketAddress } from 'node:net';
import fc from 'fast-check';
import { prefixesOf } from '#shared/network-prefix.ts';

describe('SEC-59 the networks of a client address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:c000:0207', '192.0.2.7', '192.0.2.0/24'],
    ['64:ff9b::192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['2001:0DB8:0001:0002:3::9', '2001:db8:1:2', '2001:db8:1::/48'],
    ['2001:db8::', '2001:db8:0:0', '2001:db8:0::/48'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4', '1:2:3::/48'],
    ['::192.0.2.7', '0:0:0:0', '0:0:0::/48'],
    ['::1', '0:0:0:0', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0::/48'],
  ])('%s lies in %s and %s', (address, narrow, wide) => {
    expect(prefixesOf(address)).toEqual({ narrow, wide });
  });

  it.each(['', 'x', '192.0.2.7:443', '[2001:db8::1]', '256.0.0.1', '1:2:3', 'unknown', '%', '2001:db8::1::'])(
    '%j is no address: all such are one network',
    (address) => {
      expect(prefixesOf(address)).toEqual({ narrow: 'unknown', wide: 'unknown' });
    },
  );

  it('every notation of an IPv6 address lies in the same networks', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
        expect(prefixesOf(address)).toEqual(prefixesOf(canonical));
        expect(prefixesOf(address.toUpperCase())).toEqual(prefixesOf(canonical));
      }),
    );
  });
});
