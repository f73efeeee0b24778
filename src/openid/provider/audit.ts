// Records the provider's responses in the audit trail with their details. What a person does on the sign-in pages is recorded by these
// pages.

import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { PRESENTED_BY } from '#openid/tokens/token-endpoint.ts';
import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { onRefusal, withoutQuotes } from './errors/error-responses.ts';

type About = Pick<AuditEvent, 'event' | 'actor' | 'account' | 'details'>;

// Errors that are not recorded here. All but the last are usual answers to `prompt=none`. `access_denied` is a refused consent, which the
// consent page records.
const EXPECTED_ERRORS = new Set([
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
  'access_denied',
]);

/**
 * The values of `grant_type` that are recorded as they are. Any other text is recorded as `unknown`, because it might be a secret that was
 * sent in the wrong parameter.
 */
const GRANTS: readonly unknown[] = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'implicit',
];

/**
 * Records the responses of a provider. Call it before the provider answers any request, and after `explainErrors` (`middleware.ts`), which
 * sets the final codes of errors. The record of a refusal, an ended session or a revocation is stored before the response leaves. The
 * record of an issued token is stored shortly afterwards, so that the response does not wait for it.
 */
export function auditProvider(provider: Provider, audit: AuditTrail): void {
  const refusals = new WeakMap<KoaContextWithOIDC, errors.OIDCProviderError>();
  const endings = new WeakSet<KoaContextWithOIDC>();
  const revoked = new WeakSet<KoaContextWithOIDC>();
  onRefusal(provider, (ctx, refusal) => void refusals.set(ctx, refusal));
  provider.on('end_session.success', (ctx) => void endings.add(ctx));
  provider.on('grant.revoked', (ctx) => void revoked.add(ctx));

  const eventOf = (ctx: KoaContextWithOIDC): About | undefined => {
    const refusal = refusals.get(ctx);
    switch (ctx.oidc.route) {
      case 'token':
        if (refusal) return refusedToken(ctx, refusal, revoked.has(ctx), ctx.state[PRESENTED_BY]);
        return ctx.status === 200 ? issuedToken(ctx) : undefined;
      case 'authorization':
      case 'resume':
      case 'pushed_authorization_request':
        return refusal && refusedAuthorization(ctx, refusal);
      case 'introspection':
        return refusal && refusedClient('introspect', refusal);
      case 'revocation':
        if (refusal) return refusedClient('revoke', refusal);
        return ctx.status === 200 ? revokedToken(ctx) : undefined;
      case 'end_session':
      case 'end_session_confirm':
        return endings.has(ctx) ? signedOut(ctx) : undefined;
      default:
        return undefined;
    }
  };

  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const about = ctx.oidc && eventOf(ctx);
    if (!about) return;
    const event = { ...about, client: ctx.oidc.client?.clientId, address: clientAddress(ctx.req) };
    if (about.event === 'token.issued' || about.event === 'token.refreshed') audit.note(event);
    else await audit.record(event);
  });
}

function issuedToken(ctx: KoaContextWithOIDC): About {
  const { entities, params, client } = ctx.oidc;
  const grant = String(params?.['grant_type']);
  const token = entities.AccessToken;
  const scope = token?.scope ?? entities.ClientCredentials?.scope;
  const jkt = token?.jkt ?? entities.ClientCredentials?.jkt;
  return {
    event: grant === 'refresh_token' ? 'token.refreshed' : 'token.issued',
    actor: `client:${client?.clientId ?? ''}`,
    account: token?.accountId,
    details: { grant, ...(scope && { scope }), ...(jkt && { bound: 'DPoP' }) },
  };
}

// Returns the event of a refused token request; undefined if the form of the request did not arrive completely. Such a refusal is only
// logged.
function refusedToken(
  ctx: KoaContextWithOIDC,
  refusal: errors.OIDCProviderError,
  familyEnded: boolean,
  account: string | undefined,
): About | undefined {
  const { body, params } = ctx.oidc;
  if (body === undefined) return undefined;
  const grant = params?.['grant_type'];
  return {
    event: familyEnded ? 'token.reused' : 'token.refused',
    actor: 'unknown',
    account,
    details: { ...(grant ? { grant: GRANTS.includes(grant) ? String(grant) : 'unknown' } : {}), ...detailsOf(refusal) },
  };
}

// Returns the event of a refused authorization request. Returns undefined for an expected error, and also for an unknown client, because
// anybody can name any client. Such a refusal is only logged.
function refusedAuthorization(ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError): About | undefined {
  const { client, account } = ctx.oidc;
  if (!client || EXPECTED_ERRORS.has(refusal.error)) return undefined;
  const accountId = account?.accountId;
  return {
    event: 'authorization.refused',
    actor: accountId ? `account:${accountId}` : 'unknown',
    account: accountId,
    details: detailsOf(refusal),
  };
}

// Returns the event of a client that could not be authenticated, or whose secret cannot be checked at the moment. Returns undefined for any
// other error, because the request is malformed then. Such a refusal is only logged.
function refusedClient(endpoint: string, refusal: errors.OIDCProviderError): About | undefined {
  if (refusal.error !== 'invalid_client' && refusal.error !== 'temporarily_unavailable') return undefined;
  return { event: 'client.refused', actor: 'unknown', details: { endpoint, ...detailsOf(refusal) } };
}

function revokedToken(ctx: KoaContextWithOIDC): About | undefined {
  const { entities, client } = ctx.oidc;
  const token = entities.AccessToken ?? entities.RefreshToken ?? entities.ClientCredentials;
  // Nothing is recorded if there was nothing to revoke, or if the token belongs to another client. In both cases, the library answers 200
  // (RFC 7009 section 2.2).
  if (!token || !client || token.clientId !== client.clientId) return undefined;
  return {
    event: 'token.revoked',
    actor: `client:${client.clientId}`,
    account: 'accountId' in token ? token.accountId : undefined,
    details: { kind: token.kind },
  };
}

function signedOut(ctx: KoaContextWithOIDC): About | undefined {
  const { session, params, route } = ctx.oidc;
  const account = session?.accountId;
  if (account === undefined) return undefined;
  // A session that ends at the route `end_session` ends without a question to the person (`logout/sign-out-without-question.ts`).
  const byHint = route === 'end_session';
  const everywhere = byHint || Boolean(params?.['logout']);
  const applications = everywhere ? Object.keys(session?.authorizations ?? {}) : [];
  return {
    event: everywhere ? 'session.ended' : 'session.left',
    actor: `account:${account}`,
    account,
    ...(applications.length > 0 && {
      details: { applications, ...(byHint && { reason: SESSION_ENDINGS.byApplication }) },
    }),
  };
}

function detailsOf(refusal: errors.OIDCProviderError) {
  const { error } = refusal;
  const description = withoutQuotes(refusal.error_description);
  const detail = withoutQuotes(keySetProblem(refusal) ?? refusal.error_detail);
  return { error, ...(description && { description }), ...(detail && { detail }) };
}

const MAX_CAUSES = 6;

// Returns why a client's key set cannot be read, from the causes of the error: for example a failure of the name look-up, of the network or
// of TLS. The reason is in the audit trail for the operator, but not in the response to the client.
function keySetProblem({ cause: error }: { cause?: unknown }): string | undefined {
  const refusal = error as { error?: string; error_description?: string; cause?: unknown } | undefined;
  if (refusal?.error !== 'invalid_client_metadata') return undefined;
  const reasons = [refusal.error_description ?? refusal.error];
  let cause = refusal.cause as { message?: string; code?: string; cause?: unknown } | undefined;
  while (cause && reasons.length < MAX_CAUSES) {
    reasons.push(cause.message || cause.code || '');
    cause = cause.cause as typeof cause;
  }
  return reasons.filter(Boolean).join(': ');
}
