// Grants a request without a question to the person, if their earlier consents cover the request or if the operator trusts the client.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { CONSENT } from '#openid/clients/client-registry.ts';
import { extendGrant, newGrant } from '#openid/sessions/grants.ts';
import { claimConsent, type RequestedClaims } from '#openid/tokens/claims-parameter.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

interface RememberedConsentOptions {
  consents: Pick<Consents, 'find'>;
  records: Pick<OidcRecords, 'read' | 'replace'>;
  requested: RequestedClaims;
  /** Seconds for which a consent is remembered. */
  maxAge: number;
}

/**
 * Finds the grant for a request: the grant of this session, or a new grant. A new grant holds what the person's earlier consents allow, or
 * what the operator allows for a trusted client. Without a grant, or if the grant does not hold everything, the library asks the person.
 */
export function rememberedConsent({ consents, records, requested, maxAge }: RememberedConsentOptions) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, provider, account } = ctx.oidc;
    if (!client || !session) return undefined;
    const grant = await sessionGrant(ctx, records);
    if (!account || ctx.oidc.prompts.has('consent')) return grant;

    const held = new Set(grant?.getOIDCScopeEncountered().split(' '));
    const scopes = [...ctx.oidc.requestParamOIDCScopes].filter((scope) => !held.has(scope));
    const claims = requested.missing(ctx, grant);
    if (scopes.length === 0 && claims.length === 0 && grant) return grant;

    const trusted = client[CONSENT] === 'trusted';
    // The stored consents are not looked up if the grant already has all requested scopes and the scopes of all requested claims.
    const byName = claims.some((claim) => !held.has(String(requested.scopeOf(claim))));
    const given =
      !trusted && (scopes.length > 0 || byName) ? await consents.find(account.accountId, client.clientId, maxAge) : [];
    const agreed = scopes.filter((scope) => trusted || given.includes(scope));
    const covers = (scope: string | undefined) => scope !== undefined && (held.has(scope) || agreed.includes(scope));
    const agreedClaims = claims.filter(
      (claim) => trusted || covers(requested.scopeOf(claim)) || given.includes(claimConsent(claim)),
    );
    if (agreed.length === 0 && agreedClaims.length === 0) return grant;
    const more = { scope: agreed.join(' '), claims: agreedClaims };
    if (!grant) return savedGrant(provider, { accountId: account.accountId, clientId: client.clientId }, more, given);
    // A refresh token may outlive the session, so its grant gets the full lifetime of a new grant.
    const renewed = agreed.includes('offline_access');
    // If the grant has ended meanwhile, no grant is returned, so that the person is asked.
    if (!(await extendGrant(provider, records, grant.jti, more, { renewed }))) return undefined;
    return provider.Grant.find(grant.jti);
  };

  // Saves a new grant, which relies on the stored consent to the scopes in `given`. Returns undefined if that consent was withdrawn
  // meanwhile.
  async function savedGrant(
    provider: Provider,
    owner: { accountId: string; clientId: string },
    permissions: Parameters<typeof newGrant>[2],
    given: readonly string[],
  ) {
    const grant = newGrant(provider, owner, permissions);
    await grant.save();
    if (given.length === 0) return grant;
    // A withdrawal deletes the consent first, and then the grants that it finds. So a withdrawal during this request always takes effect:
    // either this check finds that the consent is gone, or the withdrawal finds this grant and deletes it (SEC-55).
    const still = await consents.find(owner.accountId, owner.clientId, maxAge);
    if (given.every((scope) => still.includes(scope))) return grant;
    await grant.destroy();
    return undefined;
  }
}

// Finds the session's grant, and adds to it what the person has just allowed on the consent page. The grant is not replaced by a new one,
// because the tokens that the same application has in another window would then end.
async function sessionGrant({ oidc }: KoaContextWithOIDC, records: RememberedConsentOptions['records']) {
  const { client, session, provider, result } = oidc;
  const held = client && session?.grantIdFor(client.clientId);
  const grant = held ? await provider.Grant.find(held) : undefined;
  const consented = (result?.['consent'] as { grantId?: string } | undefined)?.grantId;
  const added = consented && consented !== held ? await provider.Grant.find(consented) : undefined;
  if (!grant || !added) return added ?? grant;
  const more = { scope: added.getOIDCScope(), claims: added.getOIDCClaims() };
  if (!(await extendGrant(provider, records, grant.jti, more, { renewed: true }))) return added;
  await added.destroy();
  return provider.Grant.find(grant.jti);
}
