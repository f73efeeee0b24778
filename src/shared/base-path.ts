/** Returns the path of an address without a slash at its end. It is empty for the root of a host. */
export function basePath(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}

/** Checks whether a path is the base path or lies below it. */
export function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
