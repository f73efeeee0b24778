// Grants a request the person's earlier consents, or those that the operator decided for a trusted client, without asking.

import type { KoaContextWithOIDC } from 'oidc-provider';
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
 * The grant that a request continues: the one of this session, or a new one from the person's earlier consents or the operator's decision
 * for a trusted client.
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
    // There is nothing to look up if the request names only claims of scopes that are held already.
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
    if (grant) {
      // A grant for the session must not end refresh tokens that outlive it.
      const renewed = agreed.includes('offline_access');
      // The grant has ended meanwhile, so the person is asked.
      if (!(await extendGrant(provider, records, grant.jti, more, { renewed }))) return undefined;
      return provider.Grant.find(grant.jti);
    }
    const made = newGrant(provider, { accountId: account.accountId, clientId: client.clientId }, more);
    await made.save();
    if (given.length === 0) return made;
    // A withdrawal first deletes the consent and then the grants that it finds. So either this check or that deletion sees the other's
    // effect (SEC-55).
    const still = await consents.find(account.accountId, client.clientId, maxAge);
    if (given.every((scope) => still.includes(scope))) return made;
    await made.destroy();
    return undefined;
  };
}

// Consent from the consent page is added to the session's existing grant. A new grant in its place would end the tokens that another window
// of the same application holds.
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
