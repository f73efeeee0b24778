// How sessions are stored: until their tokens end, for no longer than their limits, and not written anew without a change.

import type { Adapter } from 'oidc-provider';
import { digest } from '../shared/crypto/digest.ts';
import { epochSeconds } from '../store/database/connection.ts';

/** The adapter of sessions; `accessToken` is the lifetime of an access token in seconds. */
export function sessionAdapter(adapter: Adapter, accessToken: number): Adapter {
  return outlivedByTokens(endingOnTime(savingChangesOnly(adapter)), accessToken);
}

// A token lives for its `expires_in`, also when the person idles: its session's row stays as long, and shows until then that
// nobody signed out. The session itself ends at the `exp` in its payload.
function outlivedByTokens(adapter: Adapter, accessToken: number): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => adapter.upsert(id, payload, (expiresIn ?? 0) + accessToken),
  };
}

// The library takes a session for as long after its end as clocks may differ, and saves it then for at least another second: used
// often enough, it would never come to its absolute limit.
function endingOnTime(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const session = await adapter.find(id);
      return session && Number(session.exp) > epochSeconds() ? session : undefined;
    },
  };
}

/** Seconds for which a session that did not change need not be written again. */
const UNCHANGED_FOR = 60;
const MAX_SESSIONS = 10_000;

// The library saves the session at every authorization, if only to move its end. A write that would change nothing else is
// left out for a minute: the idle limit is exact to that minute, and a session ended elsewhere is never written back.
function savingChangesOnly(adapter: Adapter): Adapter {
  const saved = new Map<string, { content: string; at: number }>();
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const key = digest(id);
      const { exp: _exp, iat: _iat, ...rest } = payload;
      const content = digest(JSON.stringify(rest));
      const now = epochSeconds();
      const last = saved.get(key);
      // The clock may have been set back meanwhile.
      if (last && last.content === content && Math.abs(now - last.at) < UNCHANGED_FOR) return;
      await adapter.upsert(id, payload, expiresIn);
      saved.delete(key);
      saved.set(key, { content, at: now });
      if (saved.size > MAX_SESSIONS) saved.delete(saved.keys().next().value ?? '');
    },
    destroy: async (id) => {
      saved.delete(digest(id));
      await adapter.destroy(id);
    },
  };
}
