// Which IP addresses are private: those of this machine, of networks behind a router, and of no single receiver.

import { BlockList, isIP } from 'node:net';

type Network = readonly [address: string, prefix: number];

// RFC 6890 and its updates, without the ranges for documentation, which lead nowhere.
const PRIVATE = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 127],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
]);

/** An address and the length of its network's prefix; undefined when the text is none. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix = '', ...more] = text.split('/');
  const family = isIP(address);
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const fits = family !== 0 && more.length === 0 && length <= (family === 4 ? 32 : 128);
  return fits ? [address, length] : undefined;
}

/** Whether an IP address is private. IPv4 addresses within IPv6 count as what they are. */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address);
}

/** Tells whether an IP address lies in one of the networks; texts that are no network are passed over. */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks.flatMap((text) => [parseNetwork(text)].filter((network) => network !== undefined)));
  return (address) => isIn(list, address);
}

function blockList(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

// ::ffff:a.b.c.d and the translated 64:ff9b::a.b.c.d lead to the IPv4 address that they carry.
const CARRIES_IPV4 = /^(?:::ffff:|64:ff9b::)(.+)$/i;

function isIn(list: BlockList, address: string): boolean {
  const carried = CARRIES_IPV4.exec(address)?.[1];
  const plain = carried === undefined ? undefined : ipv4Of(carried);
  if (plain !== undefined) return list.check(plain, 'ipv4');
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

// In dots, or as the two groups that a parsed address has (::ffff:7f00:1).
function ipv4Of(tail: string): string | undefined {
  if (isIP(tail) === 4) return tail;
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(tail);
  if (!groups) return undefined;
  const number = Number.parseInt(groups[1] ?? '', 16) * 65_536 + Number.parseInt(groups[2] ?? '', 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
