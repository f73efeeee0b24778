// Makes authorization codes, pushed requests, proofs and assertions valid only once (SEC-10, SEC-46). One conditional statement of the
// database decides which use is the first, even between parallel requests and instances (`consume` in `store/oidc/oidc-records.ts`). For
// a code or a refresh token, `consume` also stores the new access token: in the same statement on PostgreSQL, which takes one round trip,
// and in the same transaction on SQLite. So either both happen or neither does.

import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { endGrant } from '#openid/sessions/grants.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { AlreadyConsumed, type IssuedRecord, isInserted, type OidcRecords } from '#store/oidc/oidc-records.ts';

const CODE = 'AuthorizationCode';

/** Wraps the adapter of authorization codes. The second use of a code throws `invalid_grant`. */
export function usableOnce(adapter: Adapter, records: OidcRecords): Adapter {
  const refuse = (code: string) => async () => {
    await revokeReused(code, records);
    throw new errors.InvalidGrant('authorization code already consumed');
  };
  return {
    ...adapter,
    consume: async (code) => {
      const { ctx } = Provider;
      // The account pages redeem their code in this process, and no access token is stored for it. So the code is spent by a statement of
      // its own.
      if (ctx?.oidc.route !== 'token') return onceOnly(adapter.consume(code), refuse(code));
      spendFor(ctx, (token) => onceOnly(records.consume(CODE, code, undefined, [token]), refuse(code)));
    },
  };
}

/** Wraps the adapter of pushed requests. The second use of a pushed request throws `invalid_request_uri`. */
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

// Revokes the tokens of a code that is used twice (RFC 6749 section 4.1.2, SEC-11). oidc-provider itself revokes them only if it reads a
// used code. Here, two requests have read the code before either had used it, and this request was the slower one. The tokens of the faster
// request may be stored only later, so they are revoked through their grant (SEC-68).
async function revokeReused(code: string, records: OidcRecords): Promise<void> {
  const { ctx } = Provider;
  // The browser may load the address of the account pages twice with the same code, and this must not revoke anything.
  if (ctx?.oidc.route !== 'token') return;
  const { grantId } = (await records.find(CODE, code)) ?? {};
  if (grantId === undefined) return;
  await endGrant(records, grantId);
  ctx.oidc.provider.emit('grant.revoked', ctx, grantId);
}

const REPLAY = 'ReplayDetection';

/**
 * Seconds for which an identifier is remembered until the library stores it with an expiry of its own. This is longer than any presented
 * proof or assertion is valid.
 */
const RESERVED_FOR = 3600;

/**
 * Wraps the adapter of the library's replay detection, for DPoP proofs and client assertions (RFC 9449 section 11.1, RFC 7523 section 3).
 * The library looks up an identifier, and stores it if it is new. With this adapter, the look-up itself stores the identifier, so that only
 * one of two parallel requests finds it new. When the library then stores the identifier, that only sets the time at which it expires.
 */
export function replayDetection(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const exp = epochSeconds() + RESERVED_FOR;
      const isNew = await isInserted(records.insertOnce(REPLAY, id, { kind: REPLAY, exp }, RESERVED_FOR));
      return isNew ? undefined : ({ jti: id, kind: REPLAY, exp } as AdapterPayload);
    },
  };
}

type Spend = (accessToken: IssuedRecord) => Promise<void>;

const pending = new WeakMap<KoaContextWithOIDC, Spend>();

/** Sets the function that stores the access token of this request and at the same time spends the code or refresh token for it. */
export function spendFor(ctx: KoaContextWithOIDC, spend: Spend): void {
  pending.set(ctx, spend);
}

/**
 * Wraps the adapter of access tokens, so that storing an access token also spends the code or refresh token for it. When the library stores
 * an access token, it has already checked everything that can be wrong about the request.
 */
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
