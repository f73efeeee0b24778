// Owns the rotation of refresh tokens with its grace window: who repeats a refresh within seconds, as the same client and with
// the key that the token is bound to, if it is, gets the same successor; any other use of a spent token ends the family (RFC
// 9700 section 4.14.2, SEC-26). Does not own the grant itself, which is oidc-provider's, nor the seal (`sealed.ts`).
//
// The library checks client, expiry, grant, scope, account and proof as ever. Within the window it is shown the spent token as
// an unspent one; what differs is only what `consume` does, and which id the new token is saved under.

import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { epochSeconds } from '../../store/database/connection.ts';
import { AlreadyConsumed, type OidcRecords } from '../../store/oidc/oidc-records.ts';
import { CLOCK_TOLERANCE } from '../clock.ts';
import { proofThumbprint } from './dpop-proof.ts';
import { seal, unseal } from './token-encryption.ts';

type Use = NonNullable<Awaited<ReturnType<OidcRecords['findUse']>>>;

/** The parts of the library's refresh token that are bent. */
interface RefreshToken {
  jti: string;
  grantId: string;
  /** Thumbprint of the key it is bound to: that of a public client which sent a proof for the first one (RFC 9449 section 5). */
  jkt?: string;
  consumed?: unknown;
  consume(): Promise<void>;
  generateTokenId(): string;
  emit(event: string): void;
}

const MODEL = 'RefreshToken';
/** What hangs on a grant; the library's own list for the grants that exist here. */
const GIVEN = ['AccessToken', MODEL, 'AuthorizationCode'] as const;

/**
 * Bends the rotation of a provider that has answered nothing yet.
 * @param grace seconds in which a refresh may be repeated; 0 for none: a second use then ends the family, parallel or not
 */
export function rotateWithGrace(provider: Provider, records: OidcRecords, grace: number): void {
  const model = provider.RefreshToken as unknown as {
    find(value: string, options?: object): Promise<RefreshToken | undefined>;
    prototype: RefreshToken;
  };
  const { find } = model;
  const newId = model.prototype.generateTokenId;
  const repeated = new WeakMap<RefreshToken, Use>();
  const successors = new WeakMap<object, string>();
  // A use that lies ahead was noted by a clock that was wrong since: it must not be repeated until then.
  const withinGrace = (age: number) => age < grace && age >= -CLOCK_TOLERANCE;
  const recent = (use: Use | undefined): use is Use & { successor: string } =>
    use?.successor !== undefined && withinGrace(epochSeconds() - use.consumedAt);

  model.find = async function (value, options) {
    const token = await find.call(this, value, options);
    // Introspection and revocation see the token as it is.
    if (!token?.consumed || Provider.ctx?.oidc.route !== 'token') return token;
    const use = await records.findUse(MODEL, value);
    if (!recent(use)) return token;
    repeated.set(token, use);
    delete token.consumed;
    return token;
  };

  model.prototype.consume = async function () {
    const ctx = Provider.ctx as KoaContextWithOIDC;
    // Where the token is not bound, as that of a client with a secret, a proof asks for the access token only: any, or none.
    const key = this.jkt === undefined ? '' : (proofThumbprint(ctx.get('DPoP')) ?? '');
    const before = repeated.get(this);
    if (!before) {
      const id = newId.call(this);
      try {
        await records.consume(MODEL, this.jti, grace > 0 ? seal(id, this.jti, key) : undefined);
        successors.set(this, id);
        return this.emit('consumed');
      } catch (error) {
        if (!(error instanceof AlreadyConsumed)) throw error;
      }
    }
    // Another refresh with the same token was first, a while ago or at this very moment.
    const use = before ?? (await records.findUse(MODEL, this.jti));
    const id = recent(use) ? await newest(this.jti, use.successor, key) : undefined;
    if (id === undefined) {
      await endFamily(ctx, this.grantId);
      throw new errors.InvalidGrant('refresh token already used');
    }
    successors.set(this, id);
  };

  // Called when the new token is saved. One that is there already stays as it is (`adapter.ts`).
  model.prototype.generateTokenId = function () {
    const spent = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return (spent && successors.get(spent)) ?? newId.call(this);
  };

  // The successor may itself have been refreshed meanwhile: then its newest descendant, so that whoever asks late is not
  // handed a token that will soon be one too many. Undefined for another key.
  async function newest(token: string, successor: string, key: string): Promise<string | undefined> {
    const id = unseal(successor, token, key);
    const use = id === undefined ? undefined : await records.findUse(MODEL, id);
    return id !== undefined && recent(use) ? newest(id, use.successor, key) : id;
  }

  async function endFamily(ctx: KoaContextWithOIDC, grantId: string): Promise<void> {
    // First what all the rest depends on: from then on nothing of it counts, whatever happens to this process.
    await records.destroy('Grant', grantId);
    for (const given of GIVEN) await records.destroyByGrant(given, grantId);
    provider.emit('grant.revoked', ctx, grantId);
  }

  // The library refuses another client and another key before it looks whether the token was spent: a thief's try would
  // leave the family alive.
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const { oidc } = ctx;
    if (oidc?.route !== 'token' || ctx.status !== 400 || oidc.params?.['grant_type'] !== 'refresh_token') return;
    // Not before the client has proved who it is.
    if ((ctx.body as { error?: string }).error !== 'invalid_grant') return;
    const spent = await records.find(MODEL, String(oidc.params['refresh_token']));
    if (!spent?.consumed || !spent.grantId) return;
    const key = proofThumbprint(ctx.get('DPoP'));
    const stolen = spent['clientId'] !== oidc.client?.clientId || (spent['jkt'] !== undefined && spent['jkt'] !== key);
    if (stolen) await endFamily(ctx, spent.grantId);
  });
}
