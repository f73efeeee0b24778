// Parses the address of PostgreSQL. It may name several hosts, as an address of libpq may (section 32.1.1.2 of PostgreSQL's manual):
// postgres://user:password@h1:5432,h2/db.

/** The three parts of an address: the text before the hosts, the hosts, and the text after them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s;

/** Returns a separate address for each host, in the order of the hosts. */
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
 * The accepted values of libpq's parameter `target_session_attrs`. It says which servers may be used: any, those that accept writes, or
 * only the primary. Without the parameter, any server may be used if the address names a single host. If it names several hosts, only a
 * server that accepts writes may be used.
 */
export const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];
