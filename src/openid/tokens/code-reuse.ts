// Authorization codes and pushed requests are good once (SEC-10, SEC-46): the database decides, in one conditional update, also
// between parallel requests and instances.

import { type Adapter, errors, Provider } from 'oidc-provider';
import { endGrant } from '#openid/sessions/grants.ts';
import { AlreadyConsumed, type OidcRecords } from '#store/oidc/oidc-records.ts';

const PUSHED_REQUEST = 'PushedAuthorizationRequest';

/** The adapter of what is good once, which refuses a second use with the error of its endpoint. */
export function usableOnce(adapter: Adapter, model: string, records: OidcRecords): Adapter {
  return {
    ...adapter,
    consume: async (id) => {
      try {
        await records.consume(model, id);
      } catch (error) {
        if (!(error instanceof AlreadyConsumed)) throw error;
        if (model === PUSHED_REQUEST) {
          throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used');
        }
        await revokeReused(id, records);
        throw new errors.InvalidGrant('authorization code already consumed');
      }
    },
  };
}

// RFC 6749 section 4.1.2, SEC-11. The library does so where it reads that the code was used; here another redemption was faster after
// both had read it, and its tokens may be stored only after this: they depend on the grant (SEC-68).
async function revokeReused(code: string, records: OidcRecords): Promise<void> {
  const { ctx } = Provider;
  // The account pages redeem theirs in this process, without a token: to load that address twice ends nothing.
  if (ctx?.oidc.route !== 'token') return;
  const { grantId } = (await records.find('AuthorizationCode', code)) ?? {};
  if (grantId === undefined) return;
  await endGrant(records, grantId);
  ctx.oidc.provider.emit('grant.revoked', ctx, grantId);
}
