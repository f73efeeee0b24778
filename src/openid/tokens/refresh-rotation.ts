// Rotation of refresh tokens with a grace window. A client may repeat a refresh within seconds, and then gets the same successor. If the
// token is bound to a key, the client must prove that key. Any other use of a spent token ends its family, which is all tokens of the same
// grant (RFC 9700 section 4.14.2, SEC-26).
//
// The library checks the client, expiry, grant, scope, account and proof. Within the window, our adapter returns a spent token as if it
// were unspent. One step in the database (`consume` in `store/oidc/oidc-records.ts`) spends the token and stores both its successor and the
// access token. After a repetition, the response is changed so that it contains the successor that was stored first.

import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { CLOCK_TOLERANCE } from '#openid/clients/client-assertion.ts';
import { isFapi2 } from '#openid/clients/fapi2-algorithms.ts';
import { endGrant } from '#openid/sessions/grants.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { AlreadyConsumed, isInserted, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { proofThumbprint } from './dpop-proof.ts';
import { spendFor } from './single-use.ts';

type Use = NonNullable<Awaited<ReturnType<OidcRecords['findUse']>>>;

/** The state of one refresh request. */
interface Rotation {
  token: string;
  payload: AdapterPayload;
  /** The earlier use of this token, if this refresh repeats one. */
  before?: Use;
  consumed?: boolean;
  /** The successor that another request stored. */
  successor?: string;
}

const MODEL = 'RefreshToken';

/**
 * Clients with the FAPI profile keep their refresh tokens (FAPI 2.0 Security Profile section 5.3.2.1). Their tokens are bound to a key, so
 * rotation is not needed, and a client must not lose its token if a response is lost.
 */
export function rotateRefreshToken({ oidc }: KoaContextWithOIDC): boolean {
  return !isFapi2(oidc.client);
}

/**
 * Returns the context for sealing a successor. The successor is sealed with the spent token, so that only the holder of the spent token can
 * read the successor. All other tokens are in the database only as digests (SEC-16).
 */
const contextOf = (key: string) => `successor of a refresh token ${key}`;

/** The state of each refresh request, by its `Provider.ctx`. */
const rotations = new WeakMap<KoaContextWithOIDC, Rotation>();

/**
 * Wraps the adapter of refresh tokens. A stored token is never overwritten.
 * @param grace seconds (`lifetimes.refreshTokenGrace`) within which a refresh may be repeated; with 0, any second use ends the family, even
 * a parallel one
 */
export function rotatingRefreshTokens(plain: Adapter, records: OidcRecords, grace: number): Adapter {
  const adapter = successorsOnce(plain, records);
  // A use that seems to be in the future was stored by a wrong clock. Such a refresh must not be repeatable until that time has come.
  const withinGrace = (age: number) => age < grace && age >= -CLOCK_TOLERANCE;
  const recent = (use: Use | undefined): use is Use & { successor: string } =>
    use?.successor !== undefined && withinGrace(epochSeconds() - use.consumedAt);

  // Finds the newest successor of a token. The stored successor may itself have been spent by a further refresh, and a client that gets a
  // spent token would soon use it a second time. Returns undefined if the request proves another key than the first refresh did.
  const newest = async (token: string, successor: string, key: string): Promise<string | undefined> => {
    const id = unseal([token], successor, contextOf(key));
    const use = id === undefined ? undefined : await records.findUse(MODEL, id);
    return id !== undefined && recent(use) ? newest(id, use.successor, key) : id;
  };

  /**
   * Returns the successor that an earlier or parallel refresh with the same token has stored. If the refresh may not be repeated, ends the
   * family and throws `invalid_grant`.
   */
  const successorOf = async (
    ctx: KoaContextWithOIDC,
    { token, payload }: Rotation,
    use: Use | undefined,
    key: string,
  ) => {
    const successor = recent(use) ? await newest(token, use.successor, key) : undefined;
    if (successor !== undefined) return successor;
    await endFamily(ctx, records, String(payload.grantId));
    throw new errors.InvalidGrant('refresh token already used');
  };

  return {
    ...adapter,
    find: async (token) => {
      const payload = await adapter.find(token);
      const { ctx } = Provider;
      // The grace window is for the token endpoint only. Introspection and revocation read the token as it is stored.
      if (!payload || ctx?.oidc.route !== 'token') return payload;
      const use = payload.consumed ? await records.findUse(MODEL, token) : undefined;
      // Outside the window, the library gets the spent token and ends the family itself (its lib/actions/grants/refresh_token.js). If
      // another client or key presents the token, the library only refuses the request, and `completeRotation` ends the family.
      if (payload.consumed && !recent(use)) return payload;
      const { consumed: _consumed, ...unspent } = payload;
      rotations.set(ctx, { token, payload: unspent, ...(use && { before: use }) });
      return unspent;
    },
    consume: async (token) => {
      const rotation = Provider.ctx && rotations.get(Provider.ctx);
      if (rotation?.token !== token) return adapter.consume(token);
      rotation.consumed = true;
    },
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      const rotation = ctx && rotations.get(ctx);
      if (!ctx || !rotation?.consumed) return adapter.upsert(id, payload, expiresIn);
      const { token, before } = rotation;
      // If the refresh token is bound to no key (for example that of a client with a secret), the client may send a proof or not, and the
      // proof concerns only the access token. So the successor is sealed without a key.
      const key = rotation.payload['jkt'] === undefined ? '' : ((await proofThumbprint(ctx.get('DPoP'))) ?? '');
      const repeat = async (use: Use | undefined) => {
        rotation.successor = await successorOf(ctx, rotation, use, key);
        // If the successor is not stored yet, it is stored now, with the lifetime that this refresh gives it.
        await adapter.upsert(rotation.successor, payload, expiresIn);
      };
      if (before) return repeat(before);
      spendFor(ctx, async (accessToken) => {
        const successor = { model: MODEL, id, payload: withoutNonce(payload), expiresIn };
        const sealed = grace > 0 ? seal(token, id, contextOf(key)) : undefined;
        try {
          await records.consume(MODEL, token, sealed, [successor, accessToken]);
        } catch (error) {
          if (!(error instanceof AlreadyConsumed)) throw error;
          await repeat(await records.findUse(MODEL, token));
          const { id: value, payload: content, expiresIn: lifetime } = accessToken;
          await records.upsert('AccessToken', value, content, lifetime);
        }
      });
    },
  };
}

// Stores each successor only once. If several refreshes store the same successor, the record that was stored first stays, whether or not
// the successor has been used.
function successorsOnce(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      await isInserted(records.insertOnce(MODEL, id, withoutNonce(payload), expiresIn));
    },
  };
}

/**
 * Removes the nonce from a refresh token. ID tokens from a refresh should have no nonce (OpenID Connect Core section 12.2), but
 * oidc-provider would keep it.
 */
function withoutNonce({ nonce: _nonce, ...payload }: AdapterPayload): OidcPayload {
  return payload as OidcPayload;
}

/** Makes the middleware that puts the stored successor into the response, and that ends the family of a stolen token. */
export function completeRotation(records: OidcRecords) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'token' || oidc.params?.['grant_type'] !== 'refresh_token') return;
    const successor = rotations.get(ctx)?.successor;
    if (ctx.status === 200 && successor !== undefined) Object.assign(ctx.body as object, { refresh_token: successor });
    // If another client or key presents a spent token, the token was stolen, and the family ends. The library itself would only refuse the
    // request and leave the family valid. The client has been authenticated by now.
    if (ctx.status !== 400 || (ctx.body as { error?: string }).error !== 'invalid_grant') return;
    const spent = await records.find(MODEL, String(oidc.params['refresh_token']));
    if (!spent?.consumed || !spent.grantId) return;
    const key = await proofThumbprint(ctx.get('DPoP'));
    const stolen = spent['clientId'] !== oidc.client?.clientId || (spent['jkt'] !== undefined && spent['jkt'] !== key);
    if (stolen) await endFamily(ctx, records, spent.grantId);
  };
}

async function endFamily(ctx: KoaContextWithOIDC, records: OidcRecords, grantId: string): Promise<void> {
  await endGrant(records, grantId);
  ctx.oidc.provider.emit('grant.revoked', ctx, grantId);
}
