// Explains the refusal of a callback address. It compares the address with those that are registered for the client, and names the parts
// that differ. It does not reveal a registered address. The refusal itself is made by the library, which compares addresses byte for byte
// (RFC 9700 section 2.1). `config/url-rules.ts` checks registered callbacks (https).

import type { CallbackDifference } from '#web/pages/error-page.ts';

/**
 * The parts in which two addresses can differ, in the order in which they are named. `name` describes the part in English. For each
 * registered address, the weights of the parts that differ are added up. The address with the lowest sum is the most similar one. The host
 * weighs most, because the client most likely did not mean a registered address with another host.
 */
const PARTS = {
  scheme: { name: 'its scheme', weight: 2 },
  user: { name: 'a user name before the host', weight: 2 },
  host: { name: 'its host', weight: 16 },
  port: { name: 'its port', weight: 4 },
  path: { name: 'its path', weight: 8 },
  slash: { name: 'the slash at its end', weight: 1 },
  case: { name: 'upper and lower case', weight: 1 },
  query: { name: 'its query', weight: 2 },
  fragment: { name: 'its fragment', weight: 2 },
  spelling: { name: 'the way it is written', weight: 1 },
} as const;
type CallbackPart = CallbackDifference['parts'][number];

/**
 * Returns the parts in which an address differs from the most similar registered one. The address must not equal any of `registered`. With
 * `loopbackPorts`, the port is not compared if the registered address is an http address of the same device (RFC 8252 section 7.3).
 */
export function differenceOf(sent: string, registered: readonly string[], loopbackPorts: boolean): CallbackDifference {
  const address = URL.parse(sent);
  const readable = registered.flatMap((text) => {
    const url = URL.parse(text);
    return url ? [{ text, url }] : [];
  });
  if (!address) return { parts: [], registered: registered.length, unreadable: true };
  const compared = readable.map(({ text, url }) => compare(sent, address, text, url, loopbackPorts));
  const weigh = (parts: readonly CallbackPart[]) => parts.reduce((sum, part) => sum + PARTS[part].weight, 0);
  const [nearest = []] = compared.sort((a, b) => weigh(a) - weigh(b));
  return { parts: nearest, registered: registered.length, unreadable: false };
}

// The hosts for which the library ignores the port. It does not ignore the port for other loopback addresses, such as 127.0.0.2.
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

function compare(sent: string, a: URL, text: string, b: URL, loopbackPorts: boolean): CallbackPart[] {
  const anyPort = loopbackPorts && b.protocol === 'http:' && LOOPBACK_HOSTS.includes(b.hostname);
  const found = new Set<CallbackPart>();
  if (a.protocol !== b.protocol) found.add('scheme');
  if (a.username !== b.username || a.password !== b.password) found.add('user');
  if (a.hostname !== b.hostname) found.add('host');
  if (a.port !== b.port && !anyPort) found.add('port');
  if (a.pathname !== b.pathname) found.add(pathDifference(a.pathname, b.pathname));
  if (a.search !== b.search) found.add('query');
  if (a.hash !== b.hash) found.add('fragment');
  // If no part differs, the two addresses are equal by the rules for URLs. They only differ in their spelling, such as %63 for c, x/../,
  // :443, or capitals in the host.
  if (found.size === 0) found.add(sent.toLowerCase() === text.toLowerCase() ? 'case' : 'spelling');
  return (Object.keys(PARTS) as CallbackPart[]).filter((part) => found.has(part));
}

function pathDifference(a: string, b: string): CallbackPart {
  const bare = (path: string) => path.replace(/\/$/, '');
  if (bare(a) === bare(b)) return 'slash';
  return a.toLowerCase() === b.toLowerCase() ? 'case' : 'path';
}

/** Returns the text for `error_description`, in English. */
export function inWords(parameter: string, { parts, registered, unreadable }: CallbackDifference): string {
  if (unreadable) return `${parameter} is no absolute address`;
  if (registered === 0) return `${parameter} cannot be used: the client has no such address registered`;
  const which = registered === 1 ? 'the registered one' : `the nearest of the ${registered} registered ones`;
  const names = parts.map((part) => PARTS[part].name);
  const list = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
  return `${parameter} differs from ${which} in ${list}: addresses are compared character by character`;
}
