// Limits the requests of each client, the requests of each user of a client, and the number of invalid access tokens from one network
// address. `src/shared/rate-limits.ts` has the rules. `server/wire-halves.ts` divides the rates (`directory.rate`, and `rate` of a client)
// among the processes. Each process has its own counters, because a shared table would cost more than most searches.

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
  type RateLimitRule,
  secondsOf,
  waitOf,
} from '#shared/rate-limits.ts';
import { SharedBudget } from '#shared/shared-budget.ts';
import { type ActiveToken, callerOf, type Introspect, personOf } from './authenticate.ts';

export interface RateRules {
  /** The rate of a client in this process. */
  ofClient(clientId: string): Rate;
  /**
   * The rate of a client's requests with its own token. These requests are counted separately, so that an automatic job with this token
   * takes nothing from the users of the client.
   */
  ofServiceAccount(clientId: string): Rate;
  /** The network address that a request comes from. */
  addressOf(req: IncomingMessage): string;
}

/**
 * Rate for the requests that a client makes with its own token (`directoryAccess`), unless the client has a `rate`. The rate may be low,
 * because no person waits for the responses.
 */
export const SERVICE_ACCOUNT_RATE: Rate = { perSecond: 20, burst: 100 };

/**
 * The share of a rate that each of several processes allows. Connections are spread over the processes, and each process has its own
 * counters.
 */
export function shareOf({ perSecond, burst }: Rate, processes: number): Rate {
  return { perSecond: perSecond / processes, burst: Math.max(1, burst / processes) };
}

/** Maximum number of valid tokens that are remembered. A remembered token passes even if its address has sent many invalid tokens. */
const MOST_TOKENS = 20_000;

/** Counts a request. Throws FhirError 429 if the caller has exceeded its rate. */
export type CountRequest = (token: ActiveToken) => void;

/**
 * Wraps `introspect` with two limits. A client that exceeds its rate is refused with 429. An address that sent too many invalid tokens is
 * refused as well, but a token that was valid before still passes. So tokens can be guessed only slowly, while other people behind the same
 * address can go on working.
 */
export function withRateLimits(introspect: Introspect, rules: RateRules, ofCaller: CountRequest): Introspect {
  const countsOf = countsByAddress(INVALID_TOKEN_RULES, rules);
  const valid = new LRUCache<string, true>(entriesAtMost(MOST_TOKENS));
  return async (token, req) => {
    if (!valid.has(token)) {
      const wait = await waitOf(countsOf(req));
      if (wait > 0) throw tooMany('invalid-tokens', wait, 'Too many access tokens from this address did not hold');
    }
    const found = await introspect(token, req);
    if (!found.active) {
      for (const { limiter, key } of countsOf(req)) await limiter.penalty(key);
      return found;
    }
    valid.set(token, true);
    ofCaller(found);
    return found;
  };
}

const TOO_MANY_RENDERINGS =
  'Too many requests without a token came from this address for descriptions in XML, indented or in part (plain JSON is not counted)';

/**
 * Makes the function that counts responses to requests without a token, and throws FhirError 429 if an address exceeds the limit. It is
 * called only for responses in a form other than the stored JSON, because only these have to be converted for each request.
 */
export function openRenderingCounter(rules: RateRules): (req: IncomingMessage) => Promise<void> {
  const countsOf = countsByAddress(OPEN_RENDERING_RULES, rules);
  return async (req) => {
    const wait = await consumeAll(countsOf(req));
    if (wait > 0) throw tooMany('open-renderings', wait, TOO_MANY_RENDERINGS);
  };
}

/** Makes the function that returns the two counts for a request: that of the network it comes from, and that of its address. */
function countsByAddress(rules: Record<'network' | 'address', RateLimitRule>, { addressOf }: RateRules) {
  const [network, address] = [memoryLimiter(rules.network), memoryLimiter(rules.address)];
  return (req: IncomingMessage) => {
    const { wide, narrow } = prefixesOf(addressOf(req));
    return [
      { limiter: network, key: wide },
      { limiter: address, key: narrow },
    ];
  };
}

/**
 * Makes the function that counts the requests of each caller in a window of time. The window begins with the first request of the caller.
 * All users of a client share its window.
 */
export function requestCounter(rules: RateRules): CountRequest {
  // The map has at most one window for each client of clients.yaml and one for its own token, because only requests with valid tokens come
  // here.
  const windows = new Map<string, { start: number; used: SharedBudget }>();
  return (token) => {
    const person = personOf(token);
    const { perSecond, burst } = rules[person === undefined ? 'ofServiceAccount' : 'ofClient'](token.clientId);
    if (perSecond <= 0) return;
    const length = (burst / perSecond) * 1000;
    const now = Date.now();
    let window = windows.get(callerOf(token));
    // If the clock was set back, a new window begins, because the old one would stay open until the clock has caught up.
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
