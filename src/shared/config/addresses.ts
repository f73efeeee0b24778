// Owns which addresses (URLs) an operator may write where: schemes, hosts, private networks.
// Does not own which keys hold addresses (`service.ts`, `client-rules.ts`).

import { BlockList, isIP } from 'node:net';

/** What is wrong with an address, and what to do; undefined for a good one. */
export type AddressFault = { problem: string; remedy: string } | undefined;

const PRIVATE_NETWORKS = new BlockList();
for (const [network, prefix] of [
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
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, prefix, 'ipv6');
}

/** Whether a host name or IP literal (as in `URL.hostname`) plainly lies in a private network or on this machine. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const family = isIP(host);
  if (family !== 0) return PRIVATE_NETWORKS.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

/** Whether a host is this machine, by name or by IP literal. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Rules of every registered address: one exact URL in ASCII, without wildcard, fragment, user name or dot segments. */
export function exactAddressFault(address: string): AddressFault {
  if (address.includes('*')) {
    return {
      problem: 'Holds a wildcard; addresses are compared byte for byte.',
      remedy: 'Write each address out in full.',
    };
  }
  if (/[^\x21-\x7e]/.test(address) || address.includes('\\')) {
    return {
      problem: 'Holds a space, a backslash, or a letter outside ASCII.',
      remedy: 'Percent-encode the path and write the host in its xn-- form.',
    };
  }
  const url = URL.parse(address);
  if (!url) return { problem: 'Is no absolute address.', remedy: 'Write it in full: https://app.example/callback.' };
  if (address.includes('#')) return { problem: 'Has a fragment (#...).', remedy: 'Remove the fragment.' };
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?]*@/.test(address)) {
    return { problem: 'Has a user name or password before the host.', remedy: 'Remove what stands before the @.' };
  }
  if (/(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(address)) {
    return { problem: 'Has "." or ".." as a step of its path.', remedy: 'Write the path that is meant.' };
  }
  return undefined;
}

/** Rules of a public base address (issuer, directory, namespace): http or https, no query, no fragment. */
export function baseAddressFault(address: string, httpsOnly: boolean): AddressFault {
  const fault = exactAddressFault(address);
  if (fault) return fault;
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'Is no web address.', remedy: 'Begin it with https://.' };
  }
  if (address.includes('?')) return { problem: 'Has a query (?...).', remedy: 'Remove the query.' };
  if (httpsOnly && url.protocol !== 'https:') {
    return {
      problem: 'Must be https in production.',
      remedy: 'Give the https address under which the service is reached.',
    };
  }
  return undefined;
}
