// Rules for the addresses (URLs) that an operator writes: their schemes and hosts, and whether they may lie in private networks.

import { isIP } from 'node:net';
import type { Problem } from './configuration-error.ts';
import { isPrivateAddress, networkCheck } from './networks.ts';

export type Mode = 'development' | 'production';

// Checks whether a host (in the form of `URL.hostname`) lies in a private network or on this machine, as far as its name shows this.
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

/** Checks whether a host is this machine. An IPv6 address may have brackets, as in `URL.hostname`, or not. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '[::1]', '::1'].includes(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname);
}

// Checks the rules for every address: ASCII characters, no user name, and an absolute address. They apply even to an address to which pages
// only link.
function absoluteUrlProblem(address: string, example: string): Problem | undefined {
  if (/[^\x21-\x7e]|\\/.test(address)) {
    const remedy = 'Percent-encode the path and write the host in its xn-- form.';
    return { problem: 'Holds a space, a backslash, or a letter outside ASCII.', remedy };
  }
  if (/^[^/]*\/\/[^/?#]*@/.test(address)) {
    return { problem: 'Has a user name or password before the host.', remedy: 'Remove what stands before the @.' };
  }
  // The URL parser would accept some addresses that are not absolute. It reads "localhost:" as a scheme, and "https:/app" and
  // "https:///app" as "https://app".
  const isAbsolute = !/^[^/:]+:\d+([/?#]|$)|^https?:(?!\/\/[^/])/i.test(address) && URL.canParse(address);
  return isAbsolute ? undefined : { problem: 'Is no absolute address.', remedy: `Write it in full: ${example}` };
}

/**
 * Checks an address that is compared byte for byte: it must be one exact URL in ASCII, without wildcard, fragment, user name or dot
 * segments.
 */
function exactUrlProblem(address: string, example: string): Problem | undefined {
  const remedy = `Write it out in full: ${example}`;
  if (address.includes('*')) return { problem: 'Holds a wildcard; addresses are compared byte for byte.', remedy };
  const problem = absoluteUrlProblem(address, example);
  if (problem) return problem;
  if (address.includes('#')) return { problem: 'Has a fragment (#...).', remedy: 'Remove the fragment.' };
  const hasDots = /(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(address);
  return hasDots ? { problem: 'Has "." or ".." as a step of its path.', remedy } : undefined;
}

/**
 * Checks a public base address (issuer, directory, namespace). It must be http or https, and may have neither a query nor a fragment. With
 * `httpsOnly`, it must be https.
 */
export function baseUrlProblem(address: string, httpsOnly: boolean, example: string): Problem | undefined {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
  if (address.includes('?')) return { problem: 'Has a query (?...).', remedy: 'Remove the query.' };
  const remedy = `Begin it with https://, as in ${example}`;
  if (!/^https?:/i.test(address)) return { problem: 'Is no web address.', remedy };
  return httpsOnly && !/^https:/i.test(address) ? { problem: 'Must be https in production.', remedy } : undefined;
}

/**
 * Checks a public base address at which the service answers (issuer, directory). Its path is part of routes and cookies, so it must not have
 * a character with a special meaning there.
 */
export function servedUrlProblem(address: string, mode: Mode, example: string): Problem | undefined {
  const problem = baseUrlProblem(address, mode === 'production', example);
  if (problem || !/[()[\]+!:;]/.test(new URL(address).pathname)) return problem;
  const remedy = 'Use letters, digits and hyphens between its slashes.';
  return { problem: 'Has one of ( ) [ ] + ! : ; in its path.', remedy };
}

/** Checks the address of a page to which pages of the service link. It must be https. In development, it may also be http. */
export function pageUrlProblem(address: string, mode: Mode, example: string): Problem | undefined {
  const problem = absoluteUrlProblem(address, example);
  if (problem || /^https:/i.test(address) || (/^http:/i.test(address) && mode === 'development')) return problem;
  return { problem: 'Is not https.', remedy: `Begin it with https://, as in ${example}` };
}

/**
 * Checks the address of a page, or of a mailbox (`mailto:`), through which people ask for help. `what` is a word for the example in the
 * message.
 */
export function contactUrlProblem(address: string, mode: Mode, what: string): Problem | undefined {
  if (/^mailto:[^\s@]+@[^\s@]+$/.test(address)) return undefined;
  return pageUrlProblem(address, mode, `https://example.org/${what}, or mailto:${what}@example.org`);
}

/** Limits the addresses to which the service may send requests. */
export interface Reach {
  mode: Mode;
  /** Private networks that the operator has allowed. */
  privateNetworks: readonly string[];
}

/**
 * Checks an address to which the service itself sends requests. It must be https. It may lie in a private network only if the operator has
 * allowed that network (SEC-47).
 */
export function outgoingUrlProblem(address: string, { mode, privateNetworks }: Reach, example: string) {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
  const { protocol, hostname } = new URL(address);
  if (mode === 'development' && isLoopbackHost(hostname) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== 'https:') return { problem: 'Is not https.', remedy: 'Use https.' };
  if (!isPrivateHost(hostname)) return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  // A host name such as `api.internal` does not say in which private network the host lies. So a name is accepted if the operator has
  // allowed any private network, and the IP address behind it is checked at each request.
  if (isIP(host) === 0 ? privateNetworks.length > 0 : networkCheck(privateNetworks)(host)) return undefined;
  const remedy = 'Give an address that is reachable from outside, or allow its network: outgoing.privateNetworks.';
  return { problem: 'Lies in a private network, into which the service sends nothing.', remedy };
}

/**
 * Checks an address to which browsers return (RFC 9700 2.1). It must be https. A native client may also use a scheme of its own, or
 * loopback (RFC 8252 7). In development, every client may use loopback.
 */
export function returnUrlProblem(address: string, isNative: boolean, mode: Mode, example: string): Problem | undefined {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    if (!isLoopbackHost(hostname)) return { problem: 'Is http.', remedy: 'Use https.' };
    if (isNative || mode === 'development') return undefined;
    return { problem: 'Production refuses http addresses of this machine.', remedy: 'Use the https address.' };
  }
  if (!isNative) {
    return { problem: 'Is not https, and only native clients may have a scheme of their own.', remedy: 'Use https.' };
  }
  if (protocol.includes('.')) return undefined;
  const remedy = 'Use a reversed domain name of yours: com.example.app:/callback, or https.';
  return { problem: 'A scheme of its own must hold a dot (RFC 8252 7.1).', remedy };
}
