// What passwords and client secrets cost to hash in tests: next to nothing, because a sign-in is on the way to what most of them prove.
// A service gets it when it is opened. What they cost in earnest, and that a cheaper hash is renewed: `shared/crypto/secrets.test.ts`,
// `openid/sign-in/throttle.test.ts`.

import type { ScryptCost } from '#shared/crypto/secret-hash.ts';

export const LOW_COST: ScryptCost = { log2N: 8, r: 8, p: 1 };
