// Limits the requests of a client, and the invalid access tokens from one network address, by the rules of
// `src/shared/rate-limits.ts`. Counted in this process alone: a shared table would cost more than most searches.

import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Rate } from '../../config/settings.ts';
import { type LimitName, limitReached } from '../../shared/limits-reached.ts';
import { prefixesOf } from '../../shared/network-prefix.ts';
import { INVALID_TOKEN_RULES, memoryLimiter, remainingWait, secondsOf } from '../../shared/rate-limits.ts';
import { type FhirError, fhirError } from '../errors.ts';
import { callerOf, type Introspect } from './authenticate.ts';

export interface RateRules {
  /** Of a client, for this process. */
  ofClient(clientId: string): Rate;
  /** The same of a client with a token of its own: counted apart, so that a batch takes nothing from the people of the application. */
  ofServiceAccount(clientId: string): Rate;
  /** Address that a request comes from. */
  addressOf(req: IncomingMessage): string;
}

/** Tokens known to have been valid lately. */
const MOST_TOKENS = 20_000;

/**
 * `introspect`, which refuses with 429 the requests of a client beyond its rate, and from addresses that sent too many invalid
 * tokens: there nothing is looked up any more, except tokens that were valid before. So guessing is slow, and those
 * behind the same address go on working.
 */
export function limited(introspect: Introspect, rules: RateRules): Introspect {
  const clients = memoryLimiter({ keyPrefix: 'directory-client', points: 1, duration: 1 });
  const invalidTokens = {
    wide: memoryLimiter(INVALID_TOKEN_RULES.network),
    narrow: memoryLimiter(INVALID_TOKEN_RULES.address),
  };
  const valid = new LRUCache<string, true>({ max: MOST_TOKENS });
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
    const { clientId, accountId } = found;
    const { perSecond, burst } = accountId === undefined ? rules.ofServiceAccount(clientId) : rules.ofClient(clientId);
    if (perSecond <= 0) return found;
    const used = await clients.penalty(callerOf(found), 1, { customDuration: burst / perSecond });
    if (used.consumedPoints > burst)
      throw tooMany(
        accountId === undefined ? 'directory-service-account' : 'directory-client',
        secondsOf(used),
        `This client may make ${Math.ceil(perSecond)} requests a second here, and ${Math.ceil(burst)} at once`,
      );
    return found;
  };
}

function tooMany(limit: LimitName, seconds: number, reason: string): FhirError {
  limitReached(limit);
  return fhirError(429, 'throttled', `${reason}: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
