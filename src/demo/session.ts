// The demo's own session (step 6 of the login sequence): its cookie, its content, and the store in this process.

import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import { LRUCache } from 'lru-cache';
import type { LogoutToken } from './logout-token.ts';
import type { SignedIn, SignInUnderway } from './relying-party.ts';

export const sessionCookie = 'mirabelle.session';

/** The signed-in person, and the messages of the six steps of the sign-in. */
export interface DemoPerson extends SignedIn {
  /** Messages by step, the first step first. */
  steps: string[][];
  /** True if the demo had seen this uuid before. */
  returning: boolean;
}

/** The logout token that ended the person's session. */
export interface Ending extends LogoutToken {
  /** The request that brought the token, for the page. */
  request: string;
  /** Milliseconds since 1970. */
  at: number;
}

declare module 'express-session' {
  interface SessionData {
    demoSignIn: SignInUnderway & { returnTo?: string | undefined };
    demoPerson: DemoPerson;
    /** Set instead of the person after the service has ended the session. */
    demoEnding: Ending;
    /** The last search with a result, as a path below `/demo/`. A record links back to it. */
    demoSearch: string;
    /** The `state` of a sign-out that began here, until the service sends the browser back. */
    demoSignOut: string;
    /** Set after both sessions have ended, until a page has said so. */
    demoSignedOut: true;
  }
}

/**
 * Session middleware. Sessions live in this process and end with it, which is enough for a demo. Your application keeps them in a store.
 * With SameSite=Lax, browsers send the cookie with the redirect from the service, but not with a form of another site.
 */
export function demoSession(base: URL, store: Store): RequestHandler {
  return session({
    name: sessionCookie,
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    store,
    cookie: { path: base.pathname, httpOnly: true, sameSite: 'lax', secure: base.protocol === 'https:' },
  });
}

/**
 * Starts a new session with a new id, so that an id that was planted before the sign-in is worthless. The data of the old session is lost.
 */
export function renewSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())));
}

/** Maximum number of sessions. They take about 20 MB, because a session holds the messages of its sign-in. */
const MOST = 1000;
const DAY = 86_400_000;

/**
 * Keeps at most `most` sessions. When there are more, it removes the least recently used one. A session also ends after a day without use.
 */
export class SessionStore extends session.Store {
  readonly #kept: LRUCache<string, string>;
  /** Endings by `sid`. They also end a session that a running request writes back. */
  readonly #endings: LRUCache<string, Ending>;

  constructor(most = MOST) {
    super();
    // The size limits the number of entries. With `max`, the cache would reserve the memory of all entries at once.
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

  /**
   * Ends the sessions that a logout token names: the session of its `sid` or, without a `sid`, all sessions of its person. Deletes their
   * tokens.
   */
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
