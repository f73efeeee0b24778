// Owns how many requests over time a client may make, and how many tokens that do not hold may come from one address.
// Does not own what a single request may cost (`limits.ts`) nor the settings (`src/shared`).
//
// Buckets of this process alone: a table that all processes share would cost more than most searches.

import type { IncomingMessage } from 'node:http';
import type { Rate } from '../../config/settings.ts';
import { networkOf } from '../../shared/network-prefix.ts';
import { createRecent } from '../../shared/recent.ts';
import type { Introspect } from './authenticate.ts';
import { type Fault, fault } from './operation-outcome.ts';

export interface RateRules {
  /** Of a client, for this process. */
  ofClient(clientId: string): Rate;
  /** Address that a request comes from. */
  addressOf(req: IncomingMessage): string;
  /** Milliseconds, never going back; the process's own clock by default. */
  now?(): number;
}

/** Tokens that do not hold, by address. A client whose tokens expired asks with each of them once or twice. */
const FAILURES: Rate = { perSecond: 5, burst: 200 };
/** Buckets kept; those that were not used lately are forgotten first. */
const MOST_BUCKETS = 20_000;
/** Tokens known to have held lately. */
const MOST_TOKENS = 20_000;

/**
 * `introspect`, which refuses with 429 the requests of a client beyond its rate, and from addresses that sent too many tokens
 * that do not hold: there nothing is looked up any more, except tokens that held before. So guessing is slow, and those
 * behind the same address go on working.
 */
export function limited(introspect: Introspect, rules: RateRules): Introspect {
  const now = rules.now ?? (() => performance.now());
  const clients = createBuckets(MOST_BUCKETS, now);
  const failures = createBuckets(MOST_BUCKETS, now);
  const held = createRecent<string, true>(MOST_TOKENS);
  return async (token, req) => {
    if (!failures.empty() && !held.get(token)) {
      const wait = failures.wait(networkOf(rules.addressOf(req)), FAILURES);
      if (wait > 0) throw tooMany(wait, 'Too many access tokens from this address did not hold');
    }
    const found = await introspect(token, req);
    if (!found.active) {
      failures.take(networkOf(rules.addressOf(req)), FAILURES);
      return found;
    }
    if (!held.get(token)) held.set(token, true);
    const rate = rules.ofClient(found.clientId);
    const wait = rate.perSecond > 0 ? clients.take(found.clientId, rate) : 0;
    if (wait > 0)
      throw tooMany(
        wait,
        `This client may make ${Math.ceil(rate.perSecond)} requests a second here, and ${Math.ceil(rate.burst)} at once`,
      );
    return found;
  };
}

function tooMany(wait: number, reason: string): Fault {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return fault(429, 'throttled', `${reason}: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

interface Bucket {
  /** What was left when it was used last. */
  left: number;
  /** Milliseconds: when that was. */
  at: number;
}

/** Token buckets by key; one that is not known is full. */
function createBuckets(most: number, now: () => number) {
  const buckets = createRecent<string, Bucket>(most);
  const leftOf = (bucket: Bucket | undefined, { perSecond, burst }: Rate, at: number) =>
    bucket ? Math.min(burst, bucket.left + ((at - bucket.at) * perSecond) / 1000) : burst;
  const waitFor = (left: number, { perSecond }: Rate) => (left >= 1 ? 0 : ((1 - left) * 1000) / perSecond);
  return {
    empty: () => buckets.empty(),
    /** Milliseconds until something can be taken; 0 when it can be at once. */
    wait: (key: string, rate: Rate) => waitFor(leftOf(buckets.get(key), rate, now()), rate),
    /** Takes one and gives 0, or, when there is none, the milliseconds until there is. */
    take(key: string, rate: Rate): number {
      const at = now();
      const bucket = buckets.get(key);
      const left = leftOf(bucket, rate, at);
      const wait = waitFor(left, rate);
      if (wait > 0) return wait;
      if (bucket) {
        bucket.left = left - 1;
        bucket.at = at;
      } else buckets.set(key, { left: left - 1, at });
      return 0;
    },
  };
}
