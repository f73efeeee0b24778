// Which URLs an operator may write where: schemes, hosts, private networks.

import { isIP } from 'node:net';
import { nearest } from '../shared/nearest.ts';
import type { Problem } from './configuration-error.ts';
import { isPrivateAddress, networkCheck } from './networks.ts';
import type { Settings } from './settings.ts';

/** An `issuer`, for remedies. */
export const ISSUER_EXAMPLE = 'https://connect.example.org';

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
export function exactUrlProblem(address: string, example: string): Problem | undefined {
  if (address.includes('*')) {
    return {
      problem: 'Holds a wildcard; addresses are compared byte for byte.',
      remedy: 'Write each address out in full.',
    };
  }
  const problem = webUrlProblem(address, example);
  if (problem) return problem;
  if (address.includes('#')) return { problem: 'Has a fragment (#...).', remedy: 'Remove the fragment.' };
  if (/(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(address)) {
    return { problem: 'Has "." or ".." as a step of its path.', remedy: 'Write the path that is meant.' };
  }
  return undefined;
}

// What every address has to be, also that of a page which is only linked.
function webUrlProblem(address: string, example: string): Problem | undefined {
  if (/[^\x21-\x7e]/.test(address) || address.includes('\\')) {
    return {
      problem: 'Holds a space, a backslash, or a letter outside ASCII.',
      remedy: 'Percent-encode the path and write the host in its xn-- form.',
    };
  }
  const url = URL.parse(address);
  if (/^[^/]*\/\/[^/?#]*@/.test(address)) return USER_IN_ADDRESS;
  const beginning = beginningProblem(address);
  if (beginning) return beginning;
  if (url) return url.username === '' && url.password === '' ? undefined : USER_IN_ADDRESS;
  const path = address.startsWith('/') && !address.startsWith('//') && URL.parse(address, example);
  return { problem: 'Is no absolute address.', remedy: `Write it in full: ${path ? path.href : example}` };
}

const USER_IN_ADDRESS = {
  problem: 'Has a user name or password before the host.',
  remedy: 'Remove what stands before the @.',
};

// Before the parser is asked: it takes "localhost:" for a scheme, and "https:/app" for "https://app".
function beginningProblem(address: string): Problem | undefined {
  const withPort = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*):\d{1,5}(?=[/?#]|$)/i.exec(address);
  if (withPort) {
    const remedy = `Write https://${address}${isLoopbackHost(withPort[1] ?? '') ? ' (http:// in development and for native clients)' : ''}`;
    return { problem: `Begins with "${withPort[1]}:", which is read as a scheme.`, remedy };
  }
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+([/?#]|$)/i.test(address)) {
    return { problem: 'Has no scheme.', remedy: `Write https://${address}` };
  }
  const [, scheme = '', slashes = '', rest = ''] = /^([a-z]{2,8})(:?\/*)(.*)$/i.exec(address) ?? [];
  const meant = slashes && rest && nearest(scheme, ['http', 'https']);
  if (!meant || (scheme.toLowerCase() === meant && slashes === '://')) return undefined;
  const withoutUser = rest.replace(/^[^/?#]*@/, '');
  return { problem: `Begins with "${scheme}${slashes}".`, remedy: `Did you mean ${meant}://${withoutUser}?` };
}

/** Rules of a public base address (issuer, directory, namespace): http or https, no query, no fragment. */
export function baseUrlProblem(address: string, httpsOnly: boolean, example: string): Problem | undefined {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
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

/** Rules of a page that people are shown a link to: https, in development http too; or, where it helps, mailto. */
export function pageUrlProblem(
  address: string,
  mode: Settings['mode'],
  example: string,
  mail = false,
): Problem | undefined {
  if (mail && /^mailto:[^\s@]+@[^\s@]+$/.test(address)) return undefined;
  const problem = webUrlProblem(address, example);
  if (problem) return problem;
  const { protocol } = new URL(address);
  if (protocol === 'https:' || (protocol === 'http:' && mode === 'development')) return undefined;
  if (mail) return { problem: 'Is neither https nor mailto.', remedy: 'Begin it with https:// or mailto:.' };
  return { problem: 'Is not https.', remedy: 'Begin it with https://.' };
}

/** What the service itself may send to. */
export interface Reach {
  mode: Settings['mode'];
  /** Private networks that the operator allows. */
  privateNetworks: readonly string[];
}

/** Rules of an address that the service itself sends to: https, and in no private network unless allowed (SEC-47). */
export function outgoingUrlProblem(
  address: string,
  { mode, privateNetworks }: Reach,
  example: string,
): Problem | undefined {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
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
