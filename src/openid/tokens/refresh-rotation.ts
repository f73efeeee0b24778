// Rotation of refresh tokens with a grace window. A client may repeat a refresh within seconds, and then gets the same successor. If the
// token is bound to a key, the client must prove that key. Any other use of a spent token ends the family (RFC 9700 section 4.14.2,
// SEC-26).
//
// The library checks client, expiry, grant, scope, account and proof. Within the window, our adapter presents a spent token as unspent. One
// statement spends the token and stores its successor and the access token. The response names the stored successor.

import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { CLOCK_TOLERANCE } from '#openid/clients/client-assertion.ts';
import { isFapi2 } from '#openid/clients/fapi2.ts';
import { endGrant } from '#openid/sessions/grants.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { AlreadyConsumed, AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';
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
 * Clients with the FAPI profile keep their refresh tokens (FAPI 2.0 Security Profile section 5.3.2.1). Their tokens are bound to a key, and
 * must not be lost with a lost response.
 */
export function rotateRefreshToken({ oidc }: KoaContextWithOIDC): boolean {
  return !isFapi2(oidc.client);
}

/**
 * The context for sealing a successor. The successor is sealed with the spent token, so that only the holder of that token can read it. The
 * database otherwise has only digests of tokens (SEC-16).
 */
const contextOf = (key: string) => `successor of a refresh token ${key}`;

/** Rotations by request (`Provider.ctx`). */
const rotations = new WeakMap<KoaContextWithOIDC, Rotation>();

/**
 * The adapter of refresh tokens, which never overwrites a token.
 * @param grace seconds (`lifetimes.refreshTokenGrace`) within which a refresh may be repeated; with 0, any second use ends the family, even
 * a parallel one
 */
export function rotatingRefreshTokens(plain: Adapter, records: OidcRecords, grace: number): Adapter {
  const adapter = successorsOnce(plain, records);
  // A time of use in the future comes from a wrong clock. The refresh must not be repeatable until that time.
  const withinGrace = (age: number) => age < grace && age >= -CLOCK_TOLERANCE;
  const recent = (use: Use | undefined): use is Use & { successor: string } =>
    use?.successor !== undefined && withinGrace(epochSeconds() - use.consumedAt);

  // Finds the newest descendant of a token. The successor may have been refreshed meanwhile, and an older token would soon be used twice.
  // Returns undefined if the refresh is signed with another key.
  const newest = async (token: string, successor: string, key: string): Promise<string | undefined> => {
    const id = unseal([token], successor, contextOf(key));
    const use = id === undefined ? undefined : await records.findUse(MODEL, id);
    return id !== undefined && recent(use) ? newest(id, use.successor, key) : id;
  };

  /**
   * Returns the successor that an earlier or parallel refresh with this token has stored. Otherwise ends the family and throws
   * `invalid_grant`.
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
      // Only the token endpoint has a window. Introspection and revocation read the token as it is stored.
      if (!payload || ctx?.oidc.route !== 'token') return payload;
      const use = payload.consumed ? await records.findUse(MODEL, token) : undefined;
      // Outside the window, the library sees a spent token and ends the family itself (its lib/actions/grants/refresh_token.js). If another
      // client or key presents the token, the library does not, and `completeRotation` ends the family.
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
      // If the token is bound to no key, like that of a client with a secret, a proof is optional and concerns only the access token.
      const key = rotation.payload['jkt'] === undefined ? '' : ((await proofThumbprint(ctx.get('DPoP'))) ?? '');
      const repeat = async (use: Use | undefined) => {
        rotation.successor = await successorOf(ctx, rotation, use, key);
        // The successor gets the lifetime of this refresh.
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

// Stores a successor once. If several refreshes store the same successor, the first stays, whether or not it has been used.
function successorsOnce(adapter: Adapter, records: Pick<OidcRecords, 'insertOnce'>): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      try {
        await records.insertOnce(MODEL, id, withoutNonce(payload), expiresIn);
      } catch (error) {
        if (!(error instanceof AlreadyThere)) throw error;
      }
    },
  };
}

/** Removes the nonce. An ID token from a refresh should have none (OpenID Connect Core section 12.2), but oidc-provider would keep it. */
function withoutNonce({ nonce: _nonce, ...payload }: AdapterPayload): OidcPayload {
  return payload as OidcPayload;
}

/** Puts the stored successor into the response, and ends the family of a stolen token. */
export function completeRotation(records: OidcRecords) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'token' || oidc.params?.['grant_type'] !== 'refresh_token') return;
    const successor = rotations.get(ctx)?.successor;
    if (ctx.status === 200 && successor !== undefined) Object.assign(ctx.body as object, { refresh_token: successor });
    // Ends the family if another client or key presents a spent token. The library only refuses such a request, so a thief would leave the
    // family alive. The client is authenticated by now.
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
