// The tests of `docs`, in one copy of its modules (`test/support/jest/together.ts`).

import './docs/code-map.test.ts';
import './docs/links.test.ts';
import './docs/upstream.test.ts';
