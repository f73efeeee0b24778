// Adds to a grant that exists. The library would write it whole: what a parallel request added would be lost, and a grant that was
// ended meanwhile would be back with all that hangs on it (SEC-55). New grants are saved by the library (`adapter.ts`).

import type { Provider } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { type OidcPayload, restoreRecord } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

const MODEL = 'Grant';

/** `scope` is a list with blanks; empty for none. */
interface Given {
  scope: string;
  claims: readonly string[];
}

/**
 * Adds scopes and claims to a grant, whatever others add at the same time; `renewed` gives it the lifetime of a new one.
 * Returns false when the grant was ended.
 */
export async function extendGrant(
  provider: Provider,
  records: Pick<OidcRecords, 'read' | 'replace'>,
  id: string,
  { scope, claims }: Given,
  { renewed }: { renewed: boolean },
): Promise<boolean> {
  for (let read = await records.read(MODEL, id); read; read = await records.read(MODEL, id)) {
    const stored = restoreRecord(read.payload, id, null);
    const grant = new provider.Grant(stored as ConstructorParameters<Provider['Grant']>[0]);
    if (scope) grant.addOIDCScope(scope);
    if (claims.length > 0) grant.addOIDCClaims([...claims]);
    if (renewed) delete grant.exp;
    const lifetime = grant.remainingTTL;
    const { openid } = grant as unknown as { openid?: object };
    const extended: OidcPayload = { ...stored, openid, exp: epochSeconds() + lifetime };
    if (await records.replace(MODEL, read, undefined, extended, lifetime)) return true;
  }
  return false;
}
