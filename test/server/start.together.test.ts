// The tests of `server/start`, in one copy of its modules (`test/support/jest/together.ts`).

import './start/demo-clients.test.ts';
import './start/prepare-start.test.ts';
import './start/keys.test.ts';
import './start/readiness.test.ts';
import './start/sandbox-data.test.ts';
import './start/secure-keys.test.ts';
