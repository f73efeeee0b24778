// Which pages of other origins may call token and userinfo with the browser's fetch (SEC-45).

import type { Client, KoaContextWithOIDC } from 'oidc-provider';

/** The library's `clientBasedCORS`: pages of the client's own callbacks only. */
export function isOriginOfClient(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  const callbacks = client.redirectUris ?? [];
  return callbacks.some((callback) => URL.parse(callback)?.origin === origin && origin !== 'null');
}
