// Owns that oidc-provider knows a client again without looking at all that it says: it would write out and hash the metadata at
// every look, several times for each request. Does not own the clients (`clients.ts`).

import type { ClientMetadata, Provider } from 'oidc-provider';
import type { ClientRegistry } from './client-registry.ts';

/** Bends a provider that has answered nothing yet. A client that was edited is another one from the next look on. */
export function rememberClients(provider: Provider, clients: ClientRegistry): void {
  const model = provider.Client as unknown as { find(id: unknown): Promise<object | undefined> };
  const { find } = model;
  const known = new WeakMap<ClientMetadata, object>();
  model.find = async function (id) {
    const metadata = typeof id === 'string' ? clients.metadata(id) : undefined;
    if (!metadata) return find.call(this, id);
    const before = known.get(metadata);
    if (before) return before;
    const client = await find.call(this, id);
    if (client) known.set(metadata, client);
    return client;
  };
}
