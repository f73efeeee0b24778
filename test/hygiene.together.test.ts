// The tests of `hygiene`, in one copy of its modules (`test/support/jest/together.ts`).

import './hygiene/connections.test.ts';
import './hygiene/quoted-requests.test.ts';
