// The key set as a relying party keeps it: fetched when its Cache-Control has run out, and never because a key is missing. A token
// whose key is not in it is a failure that a client would notice (SEC-25).

import { type KeySet, verified } from '#support/openid/verified.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import type { Browser } from './http.ts';
import { holds, same } from './record.ts';

export type Verify = (token: string) => Promise<Record<string, unknown>>;

/** Verifies tokens of the service; the key set is fetched by the browser given. */
export function createVerifier(browser: Browser): Verify {
  let kept: Promise<KeySet> | undefined;
  let until = 0;
  const fetchKeys = async () => {
    const answer = await browser.fetch(`${ISSUER}/.well-known/jwks.json`);
    same(answer.status, 200, 'the key set');
    const seconds = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1] ?? 0);
    until = performance.now() + seconds * 1000;
    return (await answer.json()) as KeySet;
  };
  return async (token) => {
    if (!kept || performance.now() >= until) {
      until = Number.POSITIVE_INFINITY;
      kept = fetchKeys();
      kept.catch(() => {
        kept = undefined;
      });
    }
    const { payload } = verified(token, await kept);
    same(payload['iss'], ISSUER, 'the issuer of a token');
    holds(Number(payload['exp'] ?? Number.POSITIVE_INFINITY) > Date.now() / 1000, 'a token came expired');
    return payload;
  };
}
