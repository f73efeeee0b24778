// The tests of `import`, in one copy of its modules (`test/support/jest/together.ts`).

import './import/collect.together.test.ts';
import './import/consistency.together.test.ts';
import './import/fhir.together.test.ts';
import './import/mapping.together.test.ts';
import './import/passes.together.test.ts';
import './import/publish.together.test.ts';
import './import/rebuild.test.ts';
import './import/registers.together.test.ts';
import './import/reports.test.ts';
import './import/served-directory.test.ts';
import './import/sources.together.test.ts';
import './import/watch/watch.test.ts';
