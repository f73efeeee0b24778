// Limits the requests of a client and of each person within it, and the invalid access tokens from one network address, by the rules of
// `src/shared/rate-limits.ts`. The rates (`directory.rate`, `rate` of a client) are shared out in `server/wire-directory.ts`. Each process
// counts for itself: a shared table would cost more than most searches.

import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Rate } from '#config/settings.ts';
import { type FhirError, refusalForNow } from '#directory/errors.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import {
  consumeAll,
  INVALID_TOKEN_RULES,
  memoryLimiter,
  OPEN_RENDERING_RULES,
  remainingWait,
  secondsOf,
} from '#shared/rate-limits.ts';
import { SharedBudget } from '#shared/shared-budget.ts';
import { type ActiveToken, callerOf, type Introspect, personOf } from './authenticate.ts';

export interface RateRules {
  /** The rate of a client in this process. */
  ofClient(clientId: string): Rate;
  /** The rate of a client with a token of its own. It counts apart, so that a batch takes nothing from the people of the application. */
  ofServiceAccount(clientId: string): Rate;
  /** Address that a request comes from. */
  addressOf(req: IncomingMessage): string;
}

/** The share of a rate that one of several processes allows: connections are distributed over them, and each counts for itself. */
export function shareOf({ perSecond, burst }: Rate, processes: number): Rate {
  return { perSecond: perSecond / processes, burst: Math.max(1, burst / processes) };
}

/** Tokens that are remembered as valid. */
const MOST_TOKENS = 20_000;

/** @throws FhirError 429 beyond the rate of the caller */
export type CountRequest = (token: ActiveToken) => void;

/**
 * Wraps `introspect`. Refuses a client beyond its rate with 429, and also addresses that sent too many invalid tokens. From such an
 * address, only tokens that were valid before are looked up. This makes guessing slow, while other people behind the same address can go on
 * working.
 */
export function withRateLimits(introspect: Introspect, rules: RateRules, ofCaller: CountRequest): Introspect {
  const invalidTokens = {
    wide: memoryLimiter(INVALID_TOKEN_RULES.network),
    narrow: memoryLimiter(INVALID_TOKEN_RULES.address),
  };
  const valid = new LRUCache<string, true>(entriesAtMost(MOST_TOKENS));
  return async (token, req) => {
    if (!valid.has(token)) {
      const { narrow, wide } = prefixesOf(rules.addressOf(req));
      const wait =
        (await remainingWait(invalidTokens.wide, wide)) || (await remainingWait(invalidTokens.narrow, narrow));
      if (wait > 0) throw tooMany('invalid-tokens', wait, 'Too many access tokens from this address did not hold');
    }
    const found = await introspect(token, req);
    if (!found.active) {
      const { narrow, wide } = prefixesOf(rules.addressOf(req));
      await invalidTokens.wide.penalty(wide);
      await invalidTokens.narrow.penalty(narrow);
      return found;
    }
    valid.set(token, true);
    ofCaller(found);
    return found;
  };
}

/** Makes the function that counts responses that are written anew for requests without a token. It throws FhirError 429 beyond the limit. */
export function openRenderingCounter({ addressOf }: RateRules): (req: IncomingMessage) => Promise<void> {
  const [wide, narrow] = [memoryLimiter(OPEN_RENDERING_RULES.network), memoryLimiter(OPEN_RENDERING_RULES.address)];
  return async (req) => {
    const prefixes = prefixesOf(addressOf(req));
    const wait = await consumeAll([
      { limiter: wide, key: prefixes.wide },
      { limiter: narrow, key: prefixes.narrow },
    ]);
    if (wait > 0)
      throw tooMany('open-renderings', wait, 'This address asked for too much without a token that is not stored JSON');
  };
}

/** Counts the requests of callers. A window begins with its first request, for all people of a client. */
export function requestCounter(rules: RateRules): CountRequest {
  // The map has at most the clients of clients.yaml, because only valid tokens come here.
  const windows = new Map<string, { start: number; used: SharedBudget }>();
  return (token) => {
    const person = personOf(token);
    const { perSecond, burst } = rules[person === undefined ? 'ofServiceAccount' : 'ofClient'](token.clientId);
    if (perSecond <= 0) return;
    const length = (burst / perSecond) * 1000;
    const now = Date.now();
    let window = windows.get(callerOf(token));
    // A clock that was set back would keep the window open for that time.
    if (!window || now < window.start || now >= window.start + length) {
      window = { start: now, used: new SharedBudget() };
      windows.set(callerOf(token), window);
    }
    const full = window.used.take(burst, person);
    if (!full) return;
    const seconds = secondsOf({ msBeforeNext: window.start + length - now });
    if (full === 'share')
      throw tooMany(
        'directory-person',
        seconds,
        `One person may use as many of the ${Math.ceil(burst)} requests of this client as are left for all others`,
      );
    throw tooMany(
      person === undefined ? 'directory-service-account' : 'directory-client',
      seconds,
      `This client may make ${Math.ceil(perSecond)} requests a second here, and ${Math.ceil(burst)} at once`,
    );
  };
}

function tooMany(limit: LimitName, seconds: number, reason: string): FhirError {
  limitReached(limit);
  return refusalForNow(429, seconds, `${reason}: try again in ${seconds} s.`);
}
