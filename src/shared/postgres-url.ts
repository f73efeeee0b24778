// Parses the address of PostgreSQL. Like libpq's (section 32.1.1.2 of its manual), it may name several hosts:
// postgres://user:password@h1:5432,h2/db.

/** The three parts of an address: the text before the hosts, the hosts, and the text after them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s;

/** Returns one address for each host, in their order. */
export function addressesOf(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => before + host + after);
  return others.length > 0 ? [first ?? '', ...others] : [url];
}

/** Parses the address of each host; undefined if one of them is no address of PostgreSQL. */
export function parseAddresses(url: string): [URL, ...URL[]] | undefined {
  if (!/^postgres(ql)?:\/\/\S+$/.test(url)) return undefined;
  // An address without a host gets one for parsing: node-postgres accepts such an address if ?host=/a/socket/folder names the socket, but
  // URL.parse does not.
  const parsed = addressesOf(url).map((address) => URL.parse(address.replace('@/', '@localhost/')));
  return parsed.includes(null) ? undefined : (parsed as [URL, ...URL[]]);
}

/**
 * Returns the hosts with their ports, for messages. It leaves out the user, the password and the parameters, which may hold a password too.
 */
export function hostsOf(addresses: readonly URL[]): string {
  return addresses.map(({ host }) => host).join(',');
}

/**
 * The states of a server with which the service works: values of libpq's parameter `target_session_attrs`. Without the parameter, a server
 * out of several hosts has to accept writes, and a single host is used in any state.
 */
export const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];
