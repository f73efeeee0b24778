// The addresses of X-Forwarded-For that trusted proxies added: who is counted, throttled and audited.

import { isIP } from 'node:net';

/**
 * The last `proxies` addresses of the header, each without its port: some proxies write `192.0.2.1:5678` or
 * `[2001:db8::1]:443`, and each port would count as an address of its own. What a client wrote before them is left out.
 */
export function forwardedFor(header: string | string[] | undefined, proxies: number): string {
  const all = [header ?? ''].flat().join(',').split(',');
  const addresses = all.map((one) => one.trim()).filter(Boolean);
  return addresses.slice(-proxies).map(withoutPort).join(', ');
}

function withoutPort(text: string): string {
  const [, bracketed, plain] = /^"?(?:\[([^\]]+)\]|([^:"]+))(?::\d*)?"?$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address !== undefined && isIP(address) !== 0 ? address : text;
}
