// Decides which tokens a client may introspect (RFC 7662) and revoke (RFC 7009).

import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { createIntrospection } from './introspection.ts';
import { ownScopes } from './service-account-tokens.ts';

/** The members of the library's tokens that this file reads or changes. */
interface Token {
  kind?: string | undefined;
  jti: string;
  clientId?: string | undefined;
  scope?: string | undefined;
  accountId?: string | undefined;
  /** Members that the library adds to its introspection response. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}

type Policy = (ctx: KoaContextWithOIDC, client: Client, token: Token) => Promise<boolean>;

/** Allows a client to revoke only its own tokens (RFC 7009 section 2.1). */
export const mayRevoke = (_ctx: KoaContextWithOIDC, client: Client, token: Token) => token.clientId === client.clientId;

/**
 * Makes the library's option `allowedPolicy` for introspection (RFC 7662 section 2.1). A client learns about its own tokens. A client of
 * type `api` learns about access tokens of all clients, or only of the clients in its `tokensOf`. The token must have one of the scopes of
 * the api, and the api sees only those scopes. All other tokens are reported as inactive. Public clients are refused. If an api has the
 * scope `email`, it also learns the person's e-mail address from tokens with this scope, as `username`, because people sign in with the
 * address.
 */
export function introspectionPolicy(
  records: Pick<OidcRecords, 'findTokenContext'>,
  clients: ClientRegistry,
  accounts: Pick<Accounts, 'find'>,
): Policy {
  const introspect = createIntrospection(records, clients);
  return async (_ctx, client, token) => {
    if (client.clientAuthMethod === 'none') return false;
    const visible = visibleScopes(clients, client.clientId, token);
    if (!visible) return false;
    // This assignment changes only the response, because the token is not saved again.
    token.scope = visible.join(' ') || undefined;
    // Disabled accounts and ended sessions are checked here, because the library does not check them.
    if (token.kind === 'AccessToken' && !(await introspect(token.jti)).active) return false;
    if (clients.find(client.clientId)?.type === 'api' && visible.includes('email') && token.accountId !== undefined) {
      token.extra = { ...token.extra, username: (await accounts.find(token.accountId))?.email };
    }
    return true;
  };
}

/** Returns the scopes of a token that a client may know; undefined if it may know nothing about the token. */
function visibleScopes(
  clients: ClientRegistry,
  clientId: string,
  token: Omit<Token, 'jti'>,
): readonly string[] | undefined {
  const client = clients.find(clientId);
  const owner = clients.find(String(token.clientId));
  if (!client || !owner) return undefined;
  // Scopes that the operator has withdrawn from the client are left out, even if an existing token has them.
  const isOwn = token.kind === 'ClientCredentials';
  if (isOwn && !owner.serviceAccount) return undefined;
  const held = isOwn ? ownScopes(owner) : owner.scopes;
  let visible = (token.scope ?? '').split(' ').filter((scope) => held.includes(scope));
  if (client.type === 'api') {
    if (client.tokensOf && !client.tokensOf.includes(owner.id)) return undefined;
    if (token.kind !== 'AccessToken' && token.kind !== 'ClientCredentials') return undefined;
    visible = visible.filter((scope) => client.scopes.includes(scope));
    if (visible.length === 0) return undefined;
  } else if (owner.id !== client.id) return undefined;
  return token.kind === 'RefreshToken' && !visible.includes('offline_access') ? undefined : visible;
}

const PUBLIC_CLIENT = 'clients of type browser and native cannot introspect: introspection needs client authentication';

/**
 * Refuses introspection by clients without a secret or key, whatever the token is. RFC 7662 demands a protected endpoint (section 2.1;
 * section 2.3), and such a client would take the response "inactive" for the true state of the token. `allowedPolicy` is not enough,
 * because the library does not call it for unknown tokens.
 */
export function refusePublicClients(provider: Provider) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'introspection' || ctx.status !== 200 || oidc.client?.clientAuthMethod !== 'none') return;
    const error = Object.assign(new errors.InvalidClientAuth('a client without secret'), {
      error_description: PUBLIC_CLIENT,
    });
    ctx.status = 401;
    ctx.body = { error: error.error, error_description: PUBLIC_CLIENT };
    provider.emit('introspection.error', ctx, error);
  };
}
