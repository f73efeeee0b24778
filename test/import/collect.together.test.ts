// The tests of `import/collect`, in one copy of its modules (`test/support/jest/together.ts`).

import './collect/collector.test.ts';
import './collect/column-figures.test.ts';
import './collect/counted-lines.test.ts';
import './collect/departments.test.ts';
import './collect/frequent-values.test.ts';
import './collect/pair-figures.test.ts';
import './collect/populations.test.ts';
import './collect/prints.test.ts';
import './collect/progress.test.ts';
import './collect/test-names.test.ts';
