// The tests of `import/consistency`, in one copy of its modules (`test/support/jest/together.ts`).

import './consistency/cases.test.ts';
import './consistency/compared.test.ts';
import './consistency/fused.test.ts';
import './consistency/mailbox-names.test.ts';
import './consistency/people.test.ts';
import './consistency/registers.test.ts';
import './consistency/structure-pairs.test.ts';
