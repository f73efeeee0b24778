// Bounds the rows of pushed authorization requests (RFC 9126). They are rows because the client does not send them through the browser. A
// public client may be anybody (SEC-58). That a `request_uri` lives 60 seconds is fixed in the library (`MAX_TTL`), and `par: required` is
// client metadata (`clients/client-registry.ts`).

import { type Adapter, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { consume, memoryLimiter, type RateLimitRule } from '#shared/rate-limits.ts';
import { clientAddress } from '#web/http/client-address.ts';

/** Rows that this process keeps for each client that authenticates, and for all others together. The oldest are deleted first. */
export const MOST_PUSHED = { ofClient: 10_000, ofPublicClients: 5000 };

/** Requests of public clients, by IPv4 address or IPv6 /64, and by IPv4 /24 or IPv6 /48. */
export const PUSHED_REQUEST_RULES = {
  narrow: { keyPrefix: 'pushed-request', points: 120, duration: 60 },
  wide: { keyPrefix: 'pushed-request-network', points: 480, duration: 60 },
} satisfies Record<string, RateLimitRule>;

/** Key of the rows that public clients share, since no client_id is empty. */
const PUBLIC = '';

/** Makes the wrapper of the adapters that a pushed request writes to. */
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
    // RFC 9126 section 2.3.
    const description = 'too many pushed requests without authentication from this network: try again later';
    throw Object.assign(new errors.TemporarilyUnavailable(description), { statusCode: 429 });
  };

  return (adapter: Adapter): Adapter => {
    const kept = new Map<string, Set<string>>();
    /** Remembers a row, and deletes the oldest ones beyond the limit, expired or not. */
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
      // In the adapter of replay detection, `find` stores a DPoP proof as well (`tokens/single-use.ts`).
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
