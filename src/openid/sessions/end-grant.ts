// Ends a grant with all that was given by it.

import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** What hangs on a grant. */
const GIVEN = ['AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

/** What is stored of it later, by a request that is under way, is dead as well: nothing counts without its grant. */
export async function endGrant(
  records: Pick<OidcRecords, 'destroy' | 'destroyByGrant'>,
  grantId: string,
): Promise<void> {
  // First what all the rest depends on: from then on nothing of it counts, whatever happens to this process.
  await records.destroy('Grant', grantId);
  for (const given of GIVEN) await records.destroyByGrant(given, grantId);
}
