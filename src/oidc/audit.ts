// Owns which of the provider's answers go to the audit trail, and what is said of them. Does not own the trail
// (`src/store/audit/audit-trail.ts`) nor the sign-in pages, which record what they do themselves.

import type { IncomingMessage } from 'node:http';
import { type errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AuditEvent, AuditTrail } from '../shared/audit/events.ts';

export interface ProviderAudit {
  audit: AuditTrail;
  /** Network address that a request came from. */
  addressOf(req: IncomingMessage): string;
}

type Fault = errors.OIDCProviderError;
type About = Pick<AuditEvent, 'event' | 'actor' | 'account' | 'details'>;

// Answers to `prompt=none` that applications ask for all day; consent that was refused is told by the page.
const NO_FAULTS = new Set([
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
  'access_denied',
]);

/**
 * Listens to a provider that has answered nothing yet; before any other `use`, so that it sees the answers as they leave.
 * What was refused, ended or revoked is in the table before the answer leaves; issued tokens follow at once.
 */
export function auditProvider(provider: Provider, { audit, addressOf }: ProviderAudit): void {
  const faults = new WeakMap<KoaContextWithOIDC, Fault>();
  const endings = new WeakSet<KoaContextWithOIDC>();
  const revoked = new WeakSet<KoaContextWithOIDC>();
  const presented = rememberPresented(provider);
  const onFault = (ctx: KoaContextWithOIDC, fault: Fault) => void faults.set(ctx, fault);
  provider.on('grant.error', onFault);
  provider.on('authorization.error', onFault);
  provider.on('pushed_authorization_request.error', onFault);
  provider.on('introspection.error', onFault);
  provider.on('revocation.error', onFault);
  provider.on('end_session.success', (ctx) => void endings.add(ctx));
  provider.on('grant.revoked', (ctx) => void revoked.add(ctx));

  const eventOf = (ctx: KoaContextWithOIDC): About | undefined => {
    const fault = faults.get(ctx);
    switch (ctx.oidc.route) {
      case 'token':
        return fault
          ? refusedToken(ctx, fault, revoked.has(ctx), presented.get(ctx))
          : ctx.status === 200
            ? issuedToken(ctx)
            : undefined;
      case 'authorization':
      case 'resume':
      case 'pushed_authorization_request':
        return fault && refusedAuthorization(ctx, fault);
      case 'introspection':
        return fault && refusedClient('introspect', fault);
      case 'revocation':
        return fault ? refusedClient('revoke', fault) : ctx.status === 200 ? revokedToken(ctx) : undefined;
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
    const event = { ...about, client: ctx.oidc.client?.clientId, address: addressOf(ctx.req) };
    if (about.event === 'token.issued' || about.event === 'token.refreshed') audit.note(event);
    else await audit.record(event);
  });
}

interface PresentedModel {
  find(...query: unknown[]): Promise<{ accountId?: string } | undefined>;
}

// Whose code or refresh token came: a refusal says it only in passing, and what was used twice is gone by then.
function rememberPresented(provider: Provider): WeakMap<object, string> {
  const presented = new WeakMap<object, string>();
  for (const model of [provider.AuthorizationCode, provider.RefreshToken] as unknown as PresentedModel[]) {
    const { find } = model;
    model.find = async function (...query) {
      const token = await find.apply(this, query);
      if (token?.accountId && Provider.ctx) presented.set(Provider.ctx, token.accountId);
      return token;
    };
  }
  return presented;
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

// A form that never came as a whole asked for nothing: the log tells of it.
function refusedToken(
  ctx: KoaContextWithOIDC,
  fault: Fault,
  familyEnded: boolean,
  account: string | undefined,
): About | undefined {
  const { body, params } = ctx.oidc;
  if (body === undefined) return undefined;
  return {
    event: familyEnded ? 'token.reused' : 'token.refused',
    actor: 'unknown',
    account,
    details: { ...(params?.['grant_type'] ? { grant: String(params['grant_type']) } : {}), ...detailsOf(fault) },
  };
}

// A stranger can name any client: one that does not exist is in the log only.
function refusedAuthorization(ctx: KoaContextWithOIDC, fault: Fault): About | undefined {
  const { client, account } = ctx.oidc;
  if (!client || NO_FAULTS.has(fault.error)) return undefined;
  const accountId = account?.accountId;
  return {
    event: 'authorization.refused',
    actor: accountId ? `account:${accountId}` : 'unknown',
    account: accountId,
    details: detailsOf(fault),
  };
}

// A request that is merely malformed is in the log only.
function refusedClient(endpoint: string, fault: Fault): About | undefined {
  if (fault.error !== 'invalid_client' && fault.error !== 'temporarily_unavailable') return undefined;
  return { event: 'client.refused', actor: 'unknown', details: { endpoint, ...detailsOf(fault) } };
}

function revokedToken(ctx: KoaContextWithOIDC): About | undefined {
  const { entities, client } = ctx.oidc;
  const token = entities.AccessToken ?? entities.RefreshToken ?? entities.ClientCredentials;
  // The library answers 200 as well where there was nothing to revoke, or nothing of this client's (RFC 7009 section 2.2).
  if (!token || !client || token.clientId !== client.clientId) return undefined;
  return {
    event: 'token.revoked',
    actor: `client:${client.clientId}`,
    account: 'accountId' in token ? token.accountId : undefined,
    details: { kind: token.kind },
  };
}

function signedOut(ctx: KoaContextWithOIDC): About | undefined {
  const { session, params } = ctx.oidc;
  const account = session?.accountId;
  if (account === undefined) return undefined;
  const everywhere = Boolean(params?.['logout']);
  const applications = everywhere ? Object.keys(session?.authorizations ?? {}) : [];
  return {
    event: everywhere ? 'session.ended' : 'session.left',
    actor: `account:${account}`,
    account,
    ...(applications.length > 0 && { details: { applications } }),
  };
}

function detailsOf({ error, error_description: description, error_detail: detail }: Fault) {
  return { error, ...(description && { description }), ...(detail && { detail }) };
}
