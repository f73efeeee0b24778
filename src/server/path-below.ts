// Owns what an address is below a path, where no Express router is asked. Does not own what answers there.

/** What an address is below a path, as Express gives it to a router that is mounted there; undefined elsewhere. */
export function below(mount: string, url: string): string | undefined {
  const path = mount.replace(/\/$/, '');
  // RFC 9112 section 3.2.2: a server takes the absolute form, too.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  if (!target.startsWith(path)) return undefined;
  const rest = target.slice(path.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}
