// DPoP proofs and client assertions are good once (RFC 9449 section 11.1, RFC 7523 section 3).

import type { Adapter, AdapterPayload } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';

const MODEL = 'ReplayDetection';

/** Seconds; longer than the longest lifetime of a presented identifier. */
const RESERVED_FOR = 3600;

/**
 * The adapter of the library's replay detection. The library looks an identifier up, and stores it if it is new. Here the look-up itself
 * stores it, so that one of two parallel requests finds it. When the library stores it afterwards, that sets its end.
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
