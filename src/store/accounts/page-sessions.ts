// The sessions of our own pages, as a store for express-session. A stored session can be opened only with its id, which only the browser
// has (SEC-62). The sign-in session is another one, which belongs to the OpenID provider (`oidc-records.ts`).

import session from 'express-session';
import { digest } from '#shared/crypto/digest.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { type Database, epochSeconds, ROWS_AT_ONCE } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import type { Row } from '#store/rows.ts';

/** Lifetime in seconds of a session that has no expiry of its own. */
const DEFAULT_LIFETIME = 3600;

/** Opens a store for express-session in the main database. Session ids are stored as digests (SEC-16). */
export function openPageSessions(database: Database): session.Store & { prune(most?: number): Promise<number> } {
  return new PageSessions(database);
}

// express-session demands a class derived from its own.
class PageSessions extends session.Store {
  readonly #database: Database;
  readonly #select;
  readonly #insert;
  readonly #update;
  readonly #delete;
  readonly #extend;
  /**
   * Sessions that are in the database already. A request only updates such a session and never inserts it, so that it cannot bring back a
   * session that was ended meanwhile (SEC-55).
   */
  readonly #stored = new WeakSet<object>();

  constructor(database: Database) {
    super();
    this.#database = database;
    this.#select = prepare<Pick<Row<'page_sessions'>, 'payload' | 'expires_at'>>(database, (knex) =>
      knex('page_sessions').select('payload', 'expires_at').where('id', X),
    );
    this.#insert = prepare(database, (knex) => knex('page_sessions').insert({ expires_at: X, id: X, payload: X }));
    this.#update = prepare(database, (knex) =>
      knex('page_sessions').update({ expires_at: X, payload: X }).where('id', X),
    );
    this.#delete = prepare(database, (knex) => knex('page_sessions').where('id', X).delete());
    this.#extend = prepare(database, (knex) => knex('page_sessions').update({ expires_at: X }).where('id', X));
  }

  override get(id: string, done: (error: unknown, session?: session.SessionData | null) => void): void {
    this.#select(digest(id)).then(
      ({ rows: [row] }) => done(null, row && Number(row.expires_at) > epochSeconds() ? opened(id, row.payload) : null),
      done,
    );
  }

  override createSession(
    ...given: Parameters<session.Store['createSession']>
  ): ReturnType<session.Store['createSession']> {
    const read = super.createSession(...given);
    this.#stored.add(read);
    return read;
  }

  override set(id: string, data: session.SessionData, done: (error?: unknown) => void = () => {}): void {
    const payload = sealed(id, data);
    const saved = this.#stored.has(data)
      ? this.#update(expiry(data), payload, digest(id))
      : this.#insert(expiry(data), digest(id), payload);
    this.#stored.add(data);
    saved.then(() => done(), done);
  }

  override destroy(id: string, done: (error?: unknown) => void = () => {}): void {
    this.#delete(digest(id)).then(() => done(), done);
  }

  override touch(id: string, data: session.SessionData, done: (error?: unknown) => void = () => {}): void {
    this.#extend(expiry(data), digest(id)).then(() => done(), done);
  }

  /** Deletes at most `most` expired rows. Returns their number; 0 means that none is left. */
  prune(most = ROWS_AT_ONCE): Promise<number> {
    const old = this.#database('page_sessions').select('id').where('expires_at', '<=', epochSeconds());
    return this.#database('page_sessions').whereIn('id', old.limit(most)).delete();
  }
}

const CONTEXT = 'page session';

function sealed(id: string, data: session.SessionData): string {
  return JSON.stringify({ sealed: seal(id, JSON.stringify(data), CONTEXT) });
}

function opened(id: string, payload: string): session.SessionData | null {
  const stored = JSON.parse(payload) as { sealed: string };
  return JSON.parse(unseal([id], stored.sealed, CONTEXT) ?? 'null');
}

function expiry({ cookie }: session.SessionData): number {
  return cookie.expires ? Math.floor(new Date(cookie.expires).getTime() / 1000) : epochSeconds() + DEFAULT_LIFETIME;
}
