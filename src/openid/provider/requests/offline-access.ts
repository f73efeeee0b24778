// Decides whether the scope offline_access is granted (OpenID Connect Core section 11). The library removes this scope from every request
// without prompt=consent. For a client with `refreshTokens: always`, the scope is granted nevertheless. If the scope is not granted, the
// log tells the operator the remedy.

import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { CONSENT, REFRESH_TOKENS } from '#openid/clients/client-registry.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { clientAddress } from '#web/http/client-address.ts';

const OFFLINE = 'offline_access';

/**
 * Minimum seconds between two reports that the same client gets no refresh token. Such a client sends the same request at every sign-in.
 */
const REPORTED_EVERY = 3600;

export interface Reports {
  audit: AuditTrail;
  log: Logger;
}

/**
 * Makes a function that returns the scopes that a request keeps. `sent` are the scopes that the client sent, and `left` are those of them
 * that the library has not removed. A client that asks for refresh tokens and gets none is reported to the operator.
 */
export function offlineAccess({ log, audit }: Reports) {
  const reported = new Map<string, number>();
  return (ctx: KoaContextWithOIDC, sent: string, left: string | undefined): string | undefined => {
    const { client } = ctx.oidc;
    const kept = left?.split(' ') ?? [];
    const asked = sent.split(' ').filter(Boolean);
    if (!client || !asked.includes(OFFLINE) || kept.includes(OFFLINE)) return left;
    if (client.grantTypeAllowed('refresh_token') && client[REFRESH_TOKENS] === 'always') {
      // The scopes stay in the order in which the client sent them.
      return [...new Set(asked)].filter((scope) => scope === OFFLINE || kept.includes(scope)).join(' ');
    }
    const { clientId } = client;
    const now = epochSeconds();
    if (now - (reported.get(clientId) ?? 0) < REPORTED_EVERY) return left;
    reported.set(clientId, now);
    const remedy = remedyFor(client);
    log.warn({ client: clientId, remedy }, 'offline_access is left out: the application gets no refresh token');
    audit.note({
      event: 'offline-access.left-out',
      actor: 'unknown',
      client: clientId,
      address: clientAddress(ctx.req),
      details: { remedy },
    });
    return left;
  };
}

function remedyFor(client: Client): string {
  if (!client.grantTypeAllowed('refresh_token')) return 'add offline_access to its scopes in clients.yaml';
  // `refreshTokens: always` is only for trusted clients. A native application cannot be trusted in this way, because other applications can
  // impersonate it (RFC 8252 section 8.6).
  if (client.applicationType === 'native') return 'the application sends prompt=consent';
  const always = client[CONSENT] === 'trusted' ? '' : 'for a trusted client ';
  return `the application sends prompt=consent, or ${always}refreshTokens: always in clients.yaml`;
}
