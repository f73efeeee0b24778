// Makes authorization codes, pushed requests, proofs and assertions valid only once (SEC-10, SEC-46). The database decides in one
// conditional statement (`store/oidc/oidc-records.ts`), even between parallel requests and instances. A code or refresh token is spent by the
// statement that stores the access token given for it: only with its answer, and in one round trip.

import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { endGrant } from '#openid/sessions/grants.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { IssuedRecord } from '#store/oidc/oidc-records.ts';
import { AlreadyConsumed, AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';

const CODE = 'AuthorizationCode';

/** The adapter of authorization codes. A second use is `invalid_grant`. */
export function usableOnce(adapter: Adapter, records: OidcRecords): Adapter {
  const refuse = (code: string) => async () => {
    await revokeReused(code, records);
    throw new errors.InvalidGrant('authorization code already consumed');
  };
  return {
    ...adapter,
    consume: async (code) => {
      const { ctx } = Provider;
      // The account pages redeem their code in this process, without a token.
      if (ctx?.oidc.route !== 'token') return onceOnly(adapter.consume(code), refuse(code));
      spendFor(ctx, (token) => onceOnly(records.consume(CODE, code, undefined, [token]), refuse(code)));
    },
  };
}

/** The adapter of pushed requests. A second use is `invalid_request_uri`. */
export function pushedOnce(adapter: Adapter): Adapter {
  const refuse = async () => {
    throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used');
  };
  return { ...adapter, consume: (id) => onceOnly(adapter.consume(id), refuse) };
}

async function onceOnly(use: Promise<unknown>, refuse: () => Promise<never>): Promise<void> {
  try {
    await use;
  } catch (error) {
    if (!(error instanceof AlreadyConsumed)) throw error;
    await refuse();
  }
}

// RFC 6749 section 4.1.2, SEC-11. oidc-provider revokes when it reads that the code was used. Here another redemption was faster after both
// had read it, and its tokens may be stored only after this. They are revoked through the grant on which they depend (SEC-68).
async function revokeReused(code: string, records: OidcRecords): Promise<void> {
  const { ctx } = Provider;
  // Loading the address of the account pages twice must not end anything.
  if (ctx?.oidc.route !== 'token') return;
  const { grantId } = (await records.find(CODE, code)) ?? {};
  if (grantId === undefined) return;
  await endGrant(records, grantId);
  ctx.oidc.provider.emit('grant.revoked', ctx, grantId);
}

const REPLAY = 'ReplayDetection';

/** Seconds; longer than the longest lifetime of a presented identifier. */
const RESERVED_FOR = 3600;

/**
 * The adapter of the library's replay detection, for DPoP proofs and client assertions (RFC 9449 section 11.1, RFC 7523 section 3). The
 * library looks an identifier up, and stores it if it is new. Here the look-up itself stores it, so that one of two parallel requests finds
 * it. When the library stores it afterwards, that sets its end.
 */
export function replayDetection(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const exp = epochSeconds() + RESERVED_FOR;
      try {
        await records.insertOnce(REPLAY, id, { kind: REPLAY, exp }, RESERVED_FOR);
        return undefined;
      } catch (error) {
        if (!(error instanceof AlreadyThere)) throw error;
        return { jti: id, kind: REPLAY, exp } as AdapterPayload;
      }
    },
  };
}

type Spend = (accessToken: IssuedRecord) => Promise<void>;

const pending = new WeakMap<KoaContextWithOIDC, Spend>();

/** Makes `spend` store the access token of this request. */
export function spendFor(ctx: KoaContextWithOIDC, spend: Spend): void {
  pending.set(ctx, spend);
}

/** The adapter of access tokens. The library stores one after everything else about a request was right. */
export function storedBySpending(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      const spend = ctx && pending.get(ctx);
      if (!spend) return adapter.upsert(id, payload, expiresIn);
      pending.delete(ctx);
      await spend({ model: 'AccessToken', id, payload: payload as OidcPayload, expiresIn });
    },
  };
}
