// Revokes what a person has allowed an application: the consent, and everything that was given by it.

import type { Consents } from './consents.ts';
import type { OidcRecords } from './oidc-records.ts';

/** Takes back what a person allowed an application, with all it holds; returns whether there was anything. */
export async function revokeConsent(
  consents: Pick<Consents, 'revoke'>,
  records: Pick<OidcRecords, 'endGrantsTo'>,
  accountId: string,
  clientId: string,
): Promise<boolean> {
  // First the consent: a sign-in at this moment then asks for it again.
  const given = await consents.revoke(accountId, clientId);
  const held = await records.endGrantsTo(accountId, clientId);
  return given || held > 0;
}
