// Recognizes private IP addresses: those of this machine, of networks behind a router, and those that do not belong to one receiver (such
// as multicast).

import { BlockList, isIP } from 'node:net';

// Private addresses by the special-purpose registries of IANA (RFC 6890): those that do not belong to exactly one receiver on the internet.
const PRIVATE = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // This address looks public, but at Azure it leads to a service of the platform itself, from any machine and any network. So it is
  // treated as private.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Teredo, and other ranges that IANA has assigned to protocols.
  '2001::/23',
  '2001:db8::/32',
  // 6to4: such an address leads to the IPv4 address that it contains.
  '2002::/16',
  '3fff::/20',
]);

// IPv6 ranges with public addresses. The first one holds all addresses that are assigned to receivers (RFC 4291 section 2.4). The other two
// contain IPv4 addresses, which `PRIVATE` judges. All other ranges are private: ::/96, ::ffff:0:0:0/96, 64:ff9b:1::/48, 100::/64,
// 5f00::/16, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
const GLOBAL_IPV6 = blockList(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']);

/** Checks whether the text is an IP address with a prefix length, such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128);
}

/**
 * Checks whether an IP address is private. An IPv6 address that contains an IPv4 address (`::ffff:a.b.c.d`, `64:ff9b::a.b.c.d`) is judged
 * by that IPv4 address.
 */
export function isPrivateAddress(address: string): boolean {
  return contains(PRIVATE, address) || (isIP(address) === 6 && !contains(GLOBAL_IPV6, address));
}

/** Returns a function that tells whether an IP address lies in one of the networks. Invalid entries of `networks` are ignored. */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks.filter(isNetwork));
  return (address) => contains(list, address);
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
    // An IPv4 address can be written as IPv6 in two ways. BlockList itself recognizes ::ffff:a.b.c.d. For 64:ff9b::a.b.c.d (RFC 6052), the
    // translated network must be added.
    if (isIP(address) === 4) list.addSubnet(`64:ff9b::${address}`, 96 + Number(prefix), 'ipv6');
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
