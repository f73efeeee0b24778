// Limits the number of stored pushed authorization requests (RFC 9126). Any other request comes through a browser, which keeps it in a
// cookie. A pushed request comes directly from the client, so it must be stored in a row of the database, and anybody may push requests as
// a public client (SEC-58). The library limits the lifetime of a `request_uri` to 60 seconds (`MAX_TTL`). The setting `par: required`
// becomes client metadata (`clients/client-registry.ts`).

import { type Adapter, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { consume, memoryLimiter, type RateLimitRule } from '#shared/rate-limits.ts';
import { clientAddress } from '#web/http/client-address.ts';

/**
 * Maximum rows that this process keeps for each client that authenticates, and for all public clients together. If there are more, the
 * oldest row is deleted.
 */
export const MOST_PUSHED = { ofClient: 10_000, ofPublicClients: 5000 };

/** Limits for requests of public clients: `narrow` for each IPv4 address or IPv6 /64, `wide` for each IPv4 /24 or IPv6 /48. */
export const PUSHED_REQUEST_RULES = {
  narrow: { keyPrefix: 'pushed-request', points: 120, duration: 60 },
  wide: { keyPrefix: 'pushed-request-network', points: 480, duration: 60 },
} satisfies Record<string, RateLimitRule>;

/** Key for the rows of all public clients together. It cannot be the id of a client, because no client_id is empty. */
const PUBLIC = '';

/** Makes a function that wraps the adapter of pushed requests and that of replay detection, because a pushed request writes to both. */
export function createPushedRequestLimits() {
  const narrow = memoryLimiter(PUSHED_REQUEST_RULES.narrow);
  const wide = memoryLimiter(PUSHED_REQUEST_RULES.wide);
  const counted = new WeakSet<KoaContextWithOIDC>();

  const countPublic = async (ctx: KoaContextWithOIDC): Promise<void> => {
    if (counted.has(ctx)) return;
    counted.add(ctx);
    const prefixes = prefixesOf(clientAddress(ctx.req));
    const wait = (await consume(narrow, prefixes.narrow)) || (await consume(wide, prefixes.wide));
    if (wait === 0) return;
    limitReached('pushed-requests');
    ctx.set('retry-after', String(wait));
    // RFC 9126 section 2.3 names the status 429 for too many requests.
    const description = 'too many pushed requests without authentication from this network: try again later';
    throw Object.assign(new errors.TemporarilyUnavailable(description), { statusCode: 429 });
  };

  return (adapter: Adapter): Adapter => {
    const kept = new Map<string, Set<string>>();
    /** Remembers a new row. If the owner then has more rows than allowed, deletes the oldest one, even if it has not expired. */
    const keep = async (owner: string, id: string) => {
      const ids = kept.get(owner) ?? new Set();
      kept.set(owner, ids.add(id));
      const [oldest = ''] = ids;
      if (ids.size <= (owner === PUBLIC ? MOST_PUSHED.ofPublicClients : MOST_PUSHED.ofClient)) return;
      ids.delete(oldest);
      await adapter.destroy(oldest);
    };
    const ownerOf = async (): Promise<string | undefined> => {
      const { ctx } = Provider;
      if (ctx?.oidc.route !== 'pushed_authorization_request') return undefined;
      const { client } = ctx.oidc;
      if (client && client.clientAuthMethod !== 'none') return client.clientId;
      await countPublic(ctx);
      return PUBLIC;
    };
    return {
      ...adapter,
      // `find` is counted too, because in the adapter of replay detection it also stores a DPoP proof (`tokens/single-use.ts`).
      find: async (id) => {
        await ownerOf();
        return adapter.find(id);
      },
      upsert: async (id, payload, expiresIn) => {
        const owner = await ownerOf();
        await adapter.upsert(id, payload, expiresIn);
        if (owner !== undefined) await keep(owner, id);
      },
    };
  };
}
