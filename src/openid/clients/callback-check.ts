// Compares a refused callback with those registered for the client and names the parts that differ, without showing a
// registered one. The library accepts a callback only when it equals a registered one byte for byte (RFC 9700 section 2.1).

/** Parts in which an address can differ, in reading order. */
const CALLBACK_PARTS = [
  'scheme',
  'user',
  'host',
  'port',
  'path',
  'slash',
  'case',
  'query',
  'fragment',
  'spelling',
] as const;
type CallbackPart = (typeof CALLBACK_PARTS)[number];

export interface CallbackDifference {
  /** The parts that differ from the nearest registered address; empty if there is nothing to compare. */
  parts: readonly CallbackPart[];
  /** Number of registered addresses. */
  registered: number;
  /** True if the sent value is no address: it has no scheme or host, or cannot be parsed. */
  unreadable: boolean;
}

/** The weight of each difference. The host says most about whether the same address was meant. */
const WEIGHT: Record<CallbackPart, number> = {
  scheme: 2,
  user: 2,
  host: 16,
  port: 4,
  path: 8,
  slash: 1,
  case: 1,
  query: 2,
  fragment: 2,
  spelling: 1,
};

interface ComparisonRules {
  /** True if a registered http address of this very device matches any port (RFC 8252 section 7.3), so that the port is no difference. */
  loopbackPorts?: boolean;
}

/** Compares an address with the registered ones, of which none equals it. */
export function differenceOf(
  sent: string,
  registered: readonly string[],
  rules: ComparisonRules = {},
): CallbackDifference {
  const address = URL.parse(sent);
  const readable = registered.flatMap((text) => {
    const url = URL.parse(text);
    return url ? [{ text, url }] : [];
  });
  if (!address) return { parts: [], registered: registered.length, unreadable: true };
  const compared = readable.map(({ text, url }) => compare(sent, address, text, url, rules));
  const weigh = (parts: readonly CallbackPart[]) => parts.reduce((sum, part) => sum + WEIGHT[part], 0);
  const [nearest = []] = compared.sort((a, b) => weigh(a) - weigh(b));
  return { parts: nearest, registered: registered.length, unreadable: false };
}

// The library's list. It compares the port of any other address of the device.
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

function compare(sent: string, a: URL, text: string, b: URL, { loopbackPorts }: ComparisonRules): CallbackPart[] {
  const anyPort = loopbackPorts && b.protocol === 'http:' && LOOPBACK_HOSTS.includes(b.hostname);
  const found = new Set<CallbackPart>();
  if (a.protocol !== b.protocol) found.add('scheme');
  if (a.username !== b.username || a.password !== b.password) found.add('user');
  if (a.hostname !== b.hostname) found.add('host');
  if (a.port !== b.port && !anyPort) found.add('port');
  if (a.pathname !== b.pathname) found.add(pathDifference(a.pathname, b.pathname));
  if (a.search !== b.search) found.add('query');
  if (a.hash !== b.hash) found.add('fragment');
  // The same address by the rules of the web, but in another spelling: %63 for c, x/../, :443, capitals in the host.
  if (found.size === 0) found.add(sent.toLowerCase() === text.toLowerCase() ? 'case' : 'spelling');
  return CALLBACK_PARTS.filter((part) => found.has(part));
}

function pathDifference(a: string, b: string): CallbackPart {
  const bare = (path: string) => path.replace(/\/$/, '');
  if (bare(a) === bare(b)) return 'slash';
  return a.toLowerCase() === b.toLowerCase() ? 'case' : 'path';
}

const NAMES: Record<CallbackPart, string> = {
  scheme: 'its scheme',
  user: 'a user name before the host',
  host: 'its host',
  port: 'its port',
  path: 'its path',
  slash: 'the slash at its end',
  case: 'upper and lower case',
  query: 'its query',
  fragment: 'its fragment',
  spelling: 'the way it is written',
};

/** The difference in English, for `error_description`. */
export function inWords(parameter: string, { parts, registered, unreadable }: CallbackDifference): string {
  if (unreadable) return `${parameter} is no absolute address`;
  if (registered === 0) return `${parameter} cannot be used: the client has no such address registered`;
  const which = registered === 1 ? 'the registered one' : `the nearest of the ${registered} registered ones`;
  const names = parts.map((part) => NAMES[part]);
  const list = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
  return `${parameter} differs from ${which} in ${list}: addresses are compared character by character`;
}
