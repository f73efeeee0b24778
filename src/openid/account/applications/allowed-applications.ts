// Lists the consents of a person, one for each application, and revokes them.

import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import { claimConsent, requestedClaims } from '#openid/tokens/claims-parameter.ts';
import { revokeConsent } from '#store/oidc/consents.ts';

type AllowedApplicationsOptions = Pick<Parts, 'consents' | 'records' | 'clients' | 'settings'>;

export type AllowedApplications = ReturnType<typeof createAllowedApplications>;
export type AllowedApplication = Awaited<ReturnType<AllowedApplications['list']>>[number];

/** Makes the functions that list and revoke consents. They serve all accounts. */
export function createAllowedApplications({ consents, records, clients, settings }: AllowedApplicationsOptions) {
  const { scopeOf } = requestedClaims(settings.namespace);
  const ofClaim = claimConsent('');
  const inScopes = (given: string) => {
    if (!given.startsWith(ofClaim)) return given;
    const claim = given.slice(ofClaim.length);
    return scopeOf(claim) ?? claim;
  };
  return {
    /**
     * Lists the consents of an account, sorted by the name of the application. Scopes that the operator has withdrawn from an application
     * since the consent are left out.
     */
    list: async (accountId: string) => {
      const all = await consents.list(accountId);
      // The service is a client of itself. If a request to sign in to the account pages asks for a consent, the person consents to the
      // service. But the service is no application, so this consent is left out.
      const given = all.filter(({ clientId }) => clientId !== OWN_CLIENT_ID);
      const applications = given.map(({ clientId, scopes, givenAt }) => {
        const client = clients.find(clientId);
        const named = [...new Set(scopes.map(inScopes))];
        const left = client ? named.filter((scope) => client.scopes.includes(scope)) : named;
        return { id: clientId, name: client?.name ?? clientId, scopes: left, since: givenAt };
      });
      return applications.sort((one, other) => one.name.localeCompare(other.name));
    },
    /** Revokes all consents of an account to an application. Resolves with false if there were none. */
    revoke: (accountId: string, clientId: string) => revokeConsent(consents, records, accountId, clientId),
  };
}
