// The networks around a client address, for rate limits, waiting queues and the audit trail.

import { isIPv4, isIPv6 } from 'node:net';

/** Two networks around an address, the smaller one first. */
interface NetworkPrefixes {
  /** One household, ward or machine: a whole IPv4 address, or the first 64 bits of an IPv6 one (`2001:db8:1:2`). */
  narrow: string;
  /** The largest network of one customer of a provider: `192.0.2.0/24`, `2001:db8:1::/48` (RFC 6177, RIPE-690). */
  wide: string;
}

/** The networks of a text that is no address. All such texts share them, so that none gets a limit of its own. */
const UNKNOWN: NetworkPrefixes = { narrow: 'unknown', wide: 'unknown' };

/**
 * Returns the networks of an address in any notation. An IPv4 address within an IPv6 address has the networks of the IPv4 address. This
 * applies to `::ffff:192.0.2.1`, and to `64:ff9b::192.0.2.1`, by which IPv4 clients reach servers behind a translator (RFC 6052, RFC 7755).
 * A zone (`%eth0`) is ignored.
 */
export function prefixesOf(address: string): NetworkPrefixes {
  const [plain = ''] = address.split('%', 1);
  if (isIPv4(plain)) return ofIPv4(plain);
  if (!isIPv6(plain)) return UNKNOWN;
  const groups = groupsOf(plain);
  const [, , , , , , high = 0, low = 0] = groups;
  const start = hex(groups.slice(0, 6));
  if (start === '0:0:0:0:0:ffff' || start === '64:ff9b:0:0:0:0') {
    return ofIPv4([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  }
  return { narrow: hex(groups.slice(0, 4)), wide: `${hex(groups.slice(0, 3))}::/48` };
}

function ofIPv4(address: string): NetworkPrefixes {
  return { narrow: address, wide: `${address.slice(0, address.lastIndexOf('.'))}.0/24` };
}

/** Returns the eight groups of a valid IPv6 address as numbers. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::', 2);
  const before = numbersOf(head);
  const after = numbersOf(tail ?? '');
  const zeros = Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after];
}

function numbersOf(groups: string): number[] {
  return groups.split(':').flatMap((group) => {
    if (!group.includes('.')) return group === '' ? [] : [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function hex(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
