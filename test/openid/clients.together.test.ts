// The tests of `openid/clients`, in one copy of its modules (`test/support/jest/together.ts`).

import './clients/callback-difference.test.ts';
import './clients/client-assertion.test.ts';
import './clients/client-authentication.test.ts';
import './clients/client-forms.test.ts';
import './clients/client-metadata.test.ts';
import './clients/fapi2.test.ts';
import './clients/kept-keys-and-secrets.test.ts';
import './clients/outbound-fetch.test.ts';
import './clients/signed-responses.test.ts';
