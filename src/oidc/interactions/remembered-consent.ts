// Grants a request what the person has agreed to before, or what the operator has decided for a trusted client, without asking.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Consents } from '../../store/oidc/consents.ts';
import { CONSENT } from '../clients/client-registry.ts';
import { claimConsent, type RequestedClaims } from '../tokens/claims-parameter.ts';

/**
 * The grant that a request continues: the one of this session, or a new one from what the person has agreed to
 * before (within `maxAge` seconds), or the operator has decided for a trusted client.
 */
export function rememberedConsent(consents: Consents, requested: RequestedClaims, maxAge: number) {
  return async (ctx: KoaContextWithOIDC) => {
    const { client, session, provider, result, account } = ctx.oidc;
    if (!client || !session) return undefined;
    const consented = (result?.['consent'] as { grantId?: string } | undefined)?.grantId;
    const id = consented ?? session.grantIdFor(client.clientId);
    const grant = id ? await provider.Grant.find(id) : undefined;
    if (!account || ctx.oidc.prompts.has('consent')) return grant;

    const held = new Set(grant?.getOIDCScopeEncountered().split(' '));
    const scopes = [...ctx.oidc.requestParamOIDCScopes].filter((scope) => !held.has(scope));
    const claims = requested.missing(ctx, grant);
    if (scopes.length === 0 && claims.length === 0 && grant) return grant;

    const trusted = client[CONSENT] === 'trusted';
    // Nothing to look up where only claims of scopes that are held already are requested by name.
    const byName = claims.some((claim) => !held.has(String(requested.scopeOf(claim))));
    const given =
      !trusted && (scopes.length > 0 || byName) ? await consents.find(account.accountId, client.clientId, maxAge) : [];
    const agreed = scopes.filter((scope) => trusted || given.includes(scope));
    const covers = (scope: string | undefined) => scope !== undefined && (held.has(scope) || agreed.includes(scope));
    const agreedClaims = claims.filter(
      (claim) => trusted || covers(requested.scopeOf(claim)) || given.includes(claimConsent(claim)),
    );
    if (agreed.length === 0 && agreedClaims.length === 0) return grant;
    const renewed = grant ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    if (agreed.length > 0) renewed.addOIDCScope(agreed.join(' '));
    if (agreedClaims.length > 0) renewed.addOIDCClaims(agreedClaims);
    await renewed.save();
    return renewed;
  };
}
