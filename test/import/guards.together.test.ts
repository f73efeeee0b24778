// The tests of `import/guards`, in one copy of its modules (`test/support/jest/together.ts`).

import './guards/agreement.test.ts';
import './guards/coordinates.test.ts';
import './guards/counts.test.ts';
import './guards/drift.test.ts';
import './guards/drift-of-columns.test.ts';
import './guards/duplicates.test.ts';
import './guards/finess.test.ts';
import './guards/finess-sentences.test.ts';
import './guards/finished.test.ts';
import './guards/growth.test.ts';
import './guards/json-runs.test.ts';
import './guards/pair-runs.test.ts';
import './guards/pairs.test.ts';
import './guards/sentences.test.ts';
import './guards/sentences-of-changes.test.ts';
import './guards/sentences-of-files.test.ts';
import './guards/shifted-mailboxes.test.ts';
import './guards/values.test.ts';
