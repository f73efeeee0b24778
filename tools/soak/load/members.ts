// The people who are signed in, with browser and tokens. Several operations can use a person at a time; one that ends a session or
// replaces a token has the person alone.

import type { DPoPHandle } from 'openid-client';
import type { Draw } from '#support/draw.ts';
import type { Person } from '#support/person.ts';
import type { Browser } from './http.ts';

export interface Member {
  browser: Browser;
  person: Person;
  client: 'portail' | 'annuaire' | 'hopital';
  sub: string;
  /** The id of the session in its ID tokens. */
  sid: string;
  idToken: string;
  accessToken: string;
  /** The tokens are bound to a key. */
  dpop?: DPoPHandle | undefined;
  refreshToken?: string | undefined;
  /** Milliseconds since 1970: the end of the access token, the sign-in, the last use of session and of refresh token. */
  accessUntil: number;
  signedInAt: number;
  usedAt: number;
  refreshedAt: number;
  /** The session ends at the latest then, unless it is used again. */
  endsBy: number;
}

export interface Members {
  add(member: Member): void;
  /** Works with one that suits, as others may do at the same time; resolves with `false` where there is none. */
  share(suits: (member: Member) => boolean, work: (member: Member) => Promise<void>): Promise<boolean>;
  /** The same, alone with the person. */
  alone(suits: (member: Member) => boolean, work: (member: Member) => Promise<void>): Promise<boolean>;
  /** Nobody is given the person any more. */
  drop(member: Member): void;
  readonly count: number;
  close(): void;
}

/** Most members; beyond them the oldest ones are left to expire. */
const MOST = 200;
const ALONE = Number.POSITIVE_INFINITY;

export function createMembers(draw: Draw): Members {
  const pool = new Set<Member>();
  /** How many operations use somebody. */
  const users = new Map<Member, number>();
  const drawn = (suits: (member: Member) => boolean, most: number) => {
    const fitting = [...pool].filter((one) => (users.get(one) ?? 0) <= most && suits(one));
    return fitting.length > 0 ? draw.one(fitting) : undefined;
  };
  const release = (member: Member, users_: number) => {
    users.set(member, users_);
    if (users_ > 0 || pool.has(member)) return;
    users.delete(member);
    member.browser.close();
  };
  const use = (most: number, by: number): Members['share'] => {
    return async (suits, work) => {
      const member = drawn(suits, most);
      if (!member) return false;
      users.set(member, by === ALONE ? ALONE : (users.get(member) ?? 0) + by);
      try {
        await work(member);
        return true;
      } finally {
        release(member, by === ALONE ? 0 : (users.get(member) ?? by) - by);
      }
    };
  };
  const drop = (member: Member) => {
    pool.delete(member);
    if ((users.get(member) ?? 0) === 0) release(member, 0);
  };
  return {
    add(member) {
      pool.add(member);
      const [oldest] = pool;
      if (pool.size > MOST && oldest) drop(oldest);
    },
    share: use(Number.MAX_SAFE_INTEGER, 1),
    alone: use(0, ALONE),
    drop,
    get count() {
      return pool.size;
    },
    close() {
      for (const { browser } of pool) browser.close();
    },
  };
}
