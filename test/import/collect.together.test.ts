// The tests of `import/collect`, in one copy of its modules (`test/support/jest/together.ts`).

import './collect/counted-lines.test.ts';
import './collect/departments.test.ts';
import './collect/pairs.test.ts';
import './collect/prints.test.ts';
