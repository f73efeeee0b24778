// The address of PostgreSQL, which may name several hosts, as libpq has it (section 32.1.1.2 of its manual): postgres://user:password@h1:5432,h2/db.

/** The three parts of an address: all before the hosts, the hosts, all after them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s;

/** Addresses of one host each, in their order. */
export function addressesOf(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => before + host + after);
  return others.length > 0 ? [first ?? '', ...others] : [url];
}

/** The addresses of one host each, parsed; undefined if one of them is no address of PostgreSQL. */
export function parseAddresses(url: string): [URL, ...URL[]] | undefined {
  if (!/^postgres(ql)?:\/\/\S+$/.test(url)) return undefined;
  // node-postgres accepts an address without a host, which ?host=/a/socket/folder names instead. URL.parse does not.
  const parsed = addressesOf(url).map((address) => URL.parse(address.replace('@/', '@localhost/')));
  return parsed.includes(null) ? undefined : (parsed as [URL, ...URL[]]);
}

/** Hosts with their ports, as they may be shown: never the user, the password or the parameters, which may hold a password too. */
export function hostsOf(addresses: readonly URL[]): string {
  return addresses.map(({ host }) => host).join(',');
}

/**
 * What a server must be for the service to use it: the values of libpq's parameter `target_session_attrs`. Without the parameter, a server
 * out of several hosts has to accept writes, and a single host is used whatever it is.
 */
export const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];
