// Owns which addresses (URLs) an operator may write where: schemes, hosts, private networks.
// Does not own which keys hold addresses (`service.ts`, `client-rules.ts`).

import { isIP } from 'node:net';
import type { Settings } from '../settings.ts';
import { isPrivateAddress, networkCheck } from './networks.ts';

/** What is wrong with an address, and what to do; undefined for a good one. */
export type AddressFault = { problem: string; remedy: string } | undefined;

/** Whether a host name or IP literal (as in `URL.hostname`) plainly lies in a private network or on this machine. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host) !== 0) return isPrivateAddress(host);
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

/** What the service itself may send to. */
export interface Reach {
  mode: Settings['mode'];
  /** Private networks that the operator allows. */
  privateNetworks: readonly string[];
}

/** Rules of an address that the service itself sends to: https, and in no private network unless allowed (SEC-47). */
export function outgoingFault(address: string, { mode, privateNetworks }: Reach): AddressFault {
  const fault = exactAddressFault(address);
  if (fault) return fault;
  const url = new URL(address);
  const loopback = isLoopbackHost(url.hostname);
  if (loopback && mode === 'development' && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== 'https:') return { problem: 'Is not https.', remedy: 'Use https.' };
  if (!isPrivateHost(url.hostname)) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Where a name leads is looked at whenever something is sent.
  if (isIP(host) === 0 ? privateNetworks.length > 0 : networkCheck(privateNetworks)(host)) return undefined;
  const remedy = 'Give an address that is reachable from outside, or allow its network: outgoing.privateNetworks.';
  return { problem: 'Lies in a private network, into which the service sends nothing.', remedy };
}
