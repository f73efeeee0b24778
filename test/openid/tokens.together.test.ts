// The tests of `openid/tokens`, in one copy of its modules (`test/support/jest/together.ts`).

import './tokens/authentication-context.test.ts';
import './tokens/client-credentials.test.ts';
import './tokens/code-reuse.test.ts';
import './tokens/codes-and-tokens.test.ts';
import './tokens/dpop-proof.test.ts';
import './tokens/dpop.test.ts';
import './tokens/ended-elsewhere.test.ts';
import './tokens/id-token.test.ts';
import './tokens/introspection.test.ts';
import './tokens/kinds-of-tokens.test.ts';
import './tokens/offline-access.test.ts';
import './tokens/proof-refusals.test.ts';
import './tokens/refresh-grace.test.ts';
import './tokens/refresh-rotation.test.ts';
import './tokens/refusals.test.ts';
import './tokens/released-claims.test.ts';
import './tokens/request-prefetch.test.ts';
import './tokens/sign-in-names.test.ts';
import './tokens/token-rules.test.ts';
