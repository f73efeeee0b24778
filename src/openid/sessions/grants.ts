// Makes, extends and ends grants. A grant holds the permissions of a client in a session, from the person or, for a trusted client, from
// the operator.

import type { Adapter, Provider } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { type OidcPayload, restoreRecord } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

const MODEL = 'Grant';

/** Models that depend on a grant. */
const DEPENDENT_MODELS = ['AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

/** Permissions of a grant. `scope` is a list separated by blanks, empty for none. */
interface Permissions {
  scope: string;
  claims: readonly string[];
}

type Grant = InstanceType<Provider['Grant']>;

function allow(grant: Grant, { scope, claims }: Permissions): void {
  if (scope) grant.addOIDCScope(scope);
  if (claims.length > 0) grant.addOIDCClaims([...claims]);
}

/** The adapter of grants, which only stores new ones. `extendGrant` changes them, because an ended grant must not come back. */
export function neverReplacedGrants(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => records.insertOnce(MODEL, id, payload as OidcPayload, expiresIn),
  };
}

/** Makes a grant. It is stored once it is saved. */
export function newGrant(
  provider: Provider,
  owner: { accountId: string; clientId: string },
  permissions: Permissions,
): Grant {
  const grant = new provider.Grant(owner);
  allow(grant, permissions);
  return grant;
}

/**
 * Adds permissions to an existing grant, even while others add some too. oidc-provider would write the grant as a whole: it would lose the
 * additions of a parallel request, and bring back a grant that was ended meanwhile (SEC-55). `renewed` gives the grant the lifetime of a
 * new one. Returns false if the grant was ended.
 */
export async function extendGrant(
  provider: Provider,
  records: Pick<OidcRecords, 'read' | 'replace'>,
  id: string,
  permissions: Permissions,
  { renewed }: { renewed: boolean },
): Promise<boolean> {
  for (let read = await records.read(MODEL, id); read; read = await records.read(MODEL, id)) {
    const stored = restoreRecord(read.payload, id, null);
    const grant = new provider.Grant(stored as ConstructorParameters<Provider['Grant']>[0]);
    allow(grant, permissions);
    if (renewed) delete grant.exp;
    const lifetime = grant.remainingTTL;
    const { openid } = grant as unknown as { openid?: object };
    const extended: OidcPayload = { ...stored, openid, exp: epochSeconds() + lifetime };
    if (await records.replace(MODEL, read, undefined, extended, lifetime)) return true;
  }
  return false;
}

/** Ends a grant with all its tokens. A token that a request stores afterwards is invalid as well, because it has no grant. */
export async function endGrant(
  records: Pick<OidcRecords, 'destroy' | 'destroyByGrant'>,
  grantId: string,
): Promise<void> {
  // The grant is deleted first, which invalidates all its tokens even if this process dies.
  await records.destroy(MODEL, grantId);
  for (const model of DEPENDENT_MODELS) await records.destroyByGrant(model, grantId);
}
