// What passwords and client secrets cost to hash in tests: next to nothing, because a sign-in is on the way to what most of
// them prove. Importing it lowers the cost of passwords in the importing process, for the test file. What they cost in earnest, and that a cheaper
// hash is renewed: `shared/crypto/secret-hash.test.ts`, `openid/sign-in/authenticate.test.ts`.

import { PASSWORD_COST, type ScryptCost } from '#shared/crypto/secret-hash.ts';

export const LOW_COST: ScryptCost = { log2N: 8, r: 8, p: 1 };
Object.assign(PASSWORD_COST, LOW_COST);
