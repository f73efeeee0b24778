// Keeps the demo's sessions in this process. Their number is bounded, because each press of "sign in" begins one.

import session, { type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';
import type { Ending } from './session.ts';

/** Takes about 20 MB, because a session holds the messages of its sign-in. */
const MOST = 1000;
const DAY = 86_400_000;

/** Keeps at most `most` sessions. Beyond that it drops the least recently used one. Each session also ends after a day without use. */
export class SessionStore extends session.Store {
  readonly #kept: LRUCache<string, string>;
  /** Endings by `sid`. They also end a session that a request in progress writes back. */
  readonly #endings: LRUCache<string, Ending>;

  constructor(most = MOST) {
    super();
    // Counted by size: `max` would take the memory of all entries before the first came.
    const common = { maxSize: most, sizeCalculation: () => 1, ttl: DAY };
    this.#kept = new LRUCache({ ...common, updateAgeOnGet: true });
    this.#endings = new LRUCache(common);
  }

  get(id: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    const kept = this.#kept.get(id);
    callback(null, kept === undefined ? null : (JSON.parse(kept) as SessionData));
  }

  set(id: string, data: SessionData, callback?: () => void): void {
    const ending = this.#endings.get(String(data.demoPerson?.claims['sid']));
    this.#kept.set(id, JSON.stringify(ending ? ended(data, ending) : data));
    callback?.();
  }

  destroy(id: string, callback?: () => void): void {
    this.#kept.delete(id);
    callback?.();
  }

  /** Ends the sessions that a logout token names: the one of its `sid` or, without one, all of its person. Their tokens are forgotten. */
  endSignIns(ending: Ending): void {
    const { sub, sid } = ending.claims;
    if (sid !== undefined) this.#endings.set(sid, ending);
    for (const [id, text] of [...this.#kept]) {
      const data = JSON.parse(text) as SessionData;
      const claims = data.demoPerson?.claims;
      if (!claims || (sub !== undefined && claims.sub !== sub) || (sid !== undefined && claims['sid'] !== sid))
        continue;
      this.#kept.set(id, JSON.stringify(ended(data, ending)));
    }
  }
}

function ended({ cookie }: SessionData, demoEnding: Ending): Partial<SessionData> {
  return { cookie, demoEnding };
}
