// DPoP proofs and client assertions are good once (RFC 9449 section 11.1, RFC 7523 section 3).

import type { Adapter, AdapterPayload } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';

const MODEL = 'ReplayDetection';

/** Seconds: longer than the longest life of what is presented. */
const RESERVED_FOR = 3600;

/**
 * The adapter of the library's replay detection. The library looks for an identifier, and stores it when it is new; here the look
 * itself stores it, so that of two parallel requests one finds it. What the library stores afterwards sets its end.
 */
export function replayDetection(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const exp = epochSeconds() + RESERVED_FOR;
      try {
        await records.insertOnce(MODEL, id, { kind: MODEL, exp }, RESERVED_FOR);
        return undefined;
      } catch (error) {
        if (!(error instanceof AlreadyThere)) throw error;
        return { jti: id, kind: MODEL, exp } as AdapterPayload;
      }
    },
  };
}
