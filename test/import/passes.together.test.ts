// The tests of `import/passes`, in one copy of its modules (`test/support/jest/together.ts`).

import './passes/cut-off.test.ts';
import './passes/first-pass.test.ts';
import './passes/passes.test.ts';
import './passes/second-pass.test.ts';
import './passes/spills.test.ts';
import './passes/third-pass.test.ts';
