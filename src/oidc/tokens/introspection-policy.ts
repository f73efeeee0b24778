// Owns who may ask about which token (RFC 7662) and take back which (RFC 7009). Does not own the answers, which are the
// library's, nor whether a token holds (`introspection.ts`).

import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { TokenState } from './introspection.ts';

/** The parts of the library's tokens that decide. */
interface Token {
  kind?: string | undefined;
  jti: string;
  clientId?: string | undefined;
  scope?: string | undefined;
}

type Policy = (ctx: KoaContextWithOIDC, client: Client, token: Token) => Promise<boolean>;

/** RFC 7009 section 2.1: a client takes back its own tokens only. */
export const mayRevoke = (_ctx: KoaContextWithOIDC, client: Client, token: Token) => token.clientId === client.clientId;

/**
 * RFC 7662 section 2.1: a client learns about its own tokens, an api about access tokens of all clients as far as they hold
 * one of its scopes, and only about those scopes; public clients are refused. What a client may not know reads as inactive.
 */
export function introspectionPolicy(
  introspect: (token: string) => Promise<TokenState>,
  clients: ClientRegistry,
): Policy {
  return async (_ctx, client, token) => {
    if (client.clientAuthMethod === 'none') return false;
    const told = scopesTold(clients, client.clientId, token);
    if (!told) return false;
    // This is the answer's; the token is not saved again.
    token.scope = told.join(' ') || undefined;
    // The library knows nothing of disabled accounts and of sessions that ended.
    return token.kind !== 'AccessToken' || (await introspect(token.jti)).active;
  };
}

/** The scopes of a token that a client is told of; undefined when it may know nothing of the token. */
function scopesTold(clients: ClientRegistry, asking: string, token: Omit<Token, 'jti'>): readonly string[] | undefined {
  const who = clients.find(asking);
  const owner = clients.find(String(token.clientId));
  if (!who || !owner) return undefined;
  // What the operator took from the client is gone from its tokens in use as well.
  let told = (token.scope ?? '').split(' ').filter((scope) => owner.scopes.includes(scope));
  if (who.type === 'api') {
    if (token.kind !== 'AccessToken' && token.kind !== 'ClientCredentials') return undefined;
    told = told.filter((scope) => who.scopes.includes(scope));
    if (told.length === 0) return undefined;
  } else if (owner.id !== who.id) return undefined;
  return token.kind === 'RefreshToken' && !told.includes('offline_access') ? undefined : told;
}

const PUBLIC_CLIENT = 'clients of type browser and native cannot introspect: who asks has to prove who it is';

/**
 * Refuses clients without secret or key, whatever token they ask about: "inactive" would be taken for the token's state
 * (RFC 7662 section 2.1 wants the endpoint to be protected; section 2.3).
 */
export function refusePublicClients(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'introspection' || ctx.status !== 200 || oidc.client?.clientAuthMethod !== 'none') return;
    const fault = Object.assign(new errors.InvalidClientAuth('a client without secret'), {
      error_description: PUBLIC_CLIENT,
    });
    ctx.status = 401;
    ctx.body = { error: fault.error, error_description: PUBLIC_CLIENT };
    provider.emit('introspection.error', ctx, fault);
  });
}
