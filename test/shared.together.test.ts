// The tests of `shared`, in one copy of its modules (`test/support/jest/together.ts`).

import './shared/counts-and-passkeys.test.ts';
import './shared/crypto/bounds.test.ts';
import './shared/crypto/encryption.test.ts';
import './shared/crypto/secrets.test.ts';
import './shared/limits.test.ts';
import './shared/log/lines.test.ts';
import './shared/log/log.test.ts';
import './shared/names-and-texts.test.ts';
import './shared/tables.test.ts';
import './shared/traces-and-repeats.test.ts';
import './shared/waits-and-shares.test.ts';
