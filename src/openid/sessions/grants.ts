// Makes, extends and ends grants. A grant says what a client may do in a session. The permission comes from the person or, for a trusted
// client, from the operator.

import type { Adapter, Provider } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { type OidcPayload, restoreRecord } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

const MODEL = 'Grant';

/** Models that depend on a grant and end with it. */
const DEPENDENT_MODELS = ['AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

/** Permissions of a grant. `scope` is a list separated by blanks, and may be empty. */
interface Permissions {
  scope: string;
  claims: readonly string[];
}

type Grant = InstanceType<Provider['Grant']>;

function allow(grant: Grant, { scope, claims }: Permissions): void {
  if (scope) grant.addOIDCScope(scope);
  if (claims.length > 0) grant.addOIDCClaims([...claims]);
}

/**
 * Wraps the adapter of grants, so that it stores only new grants. Existing grants are changed by `extendGrant` alone, so that an ended
 * grant cannot come back.
 */
export function neverReplacedGrants(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => records.insertOnce(MODEL, id, payload as OidcPayload, expiresIn),
  };
}

/** Makes a grant. The caller has to save it. */
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
 * Adds permissions to an existing grant, even while other requests do the same. oidc-provider itself would store the whole grant. That
 * would lose the additions of a parallel request, and bring back a grant that has ended meanwhile (SEC-55). With `renewed`, the grant gets
 * the lifetime of a new grant. Returns false if the grant has ended.
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

/** Ends a grant with all its tokens. A token that a request stores afterwards is invalid too, because its grant no longer exists. */
export async function endGrant(
  records: Pick<OidcRecords, 'destroy' | 'destroyByGrant'>,
  grantId: string,
): Promise<void> {
  // The grant is deleted first, because all its tokens are then invalid even if the process dies before the next statements.
  await records.destroy(MODEL, grantId);
  for (const model of DEPENDENT_MODELS) await records.destroyByGrant(model, grantId);
}
