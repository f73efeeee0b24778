// Keeps one grant for each client of a session, even if parallel requests of the client made one each. Tokens are valid only while the
// session names their grant, so the code of the second request moves to the grant of the first.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { extendGrant } from './grants.ts';
import type { SessionPayload } from './merge-session.ts';

/** Moves the code once the session was stored as `merged`, and before the answer with the code leaves. */
export async function shareGrant(
  { oidc }: KoaContextWithOIDC,
  records: Pick<OidcRecords, 'read' | 'replace'>,
  mine: SessionPayload,
  merged: SessionPayload,
): Promise<void> {
  const clientId = oidc.client?.clientId ?? '';
  const own = mine.authorizations?.[clientId];
  const shared = merged.authorizations?.[clientId];
  if (!own?.grantId || !shared?.grantId || own.grantId === shared.grantId) return;
  const { AuthorizationCode: code, Grant: grant } = oidc.entities;
  if (grant?.jti === own.grantId) {
    const given = { scope: grant.getOIDCScope(), claims: grant.getOIDCClaims() };
    await extendGrant(oidc.provider, records, shared.grantId, given, { renewed: true });
    await grant.destroy();
  }
  if (!code) return;
  code.grantId = shared.grantId;
  if (code.sid !== undefined) code.sid = shared.sid;
  await code.save();
}
