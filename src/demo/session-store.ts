// Keeps the demo's sessions in this process: no more than so many, because everybody who presses "sign in" begins one.

import session, { type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';

/** Some 20 MB: a session holds the messages of its sign-in. */
const MOST = 1000;
const DAY = 86_400_000;

/** Of more than `most` sessions, that which was not used for the longest time is forgotten; each after a day without use. */
export class SessionStore extends session.Store {
  readonly #kept: LRUCache<string, string>;

  constructor(most = MOST) {
    super();
    this.#kept = new LRUCache({ max: most, ttl: DAY, updateAgeOnGet: true });
  }

  get(id: string, callback: (error: unknown, data?: SessionData | null) => void): void {
    const kept = this.#kept.get(id);
    callback(null, kept === undefined ? null : (JSON.parse(kept) as SessionData));
  }

  set(id: string, data: SessionData, callback?: () => void): void {
    this.#kept.set(id, JSON.stringify(data));
    callback?.();
  }

  destroy(id: string, callback?: () => void): void {
    this.#kept.delete(id);
    callback?.();
  }
}
