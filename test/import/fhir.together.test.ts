// The tests of `import/fhir`, in one copy of its modules (`test/support/jest/together.ts`).

import './fhir/hostile-files.test.ts';
import './fhir/index-entries.test.ts';
import './fhir/primitives.test.ts';
import './fhir/read-resources.test.ts';
import './fhir/readers.test.ts';
import './fhir/round-trip.test.ts';
import './fhir/validate.test.ts';
