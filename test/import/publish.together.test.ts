// The tests of `import/publish`, in one copy of its modules (`test/support/jest/together.ts`).

import './publish/guards.test.ts';
import './publish/refused-editions.test.ts';
import './publish/switch.test.ts';
