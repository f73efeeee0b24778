// The tests of `fhir`, in one copy of its modules (`test/support/jest/together.ts`).

import './fhir/fhir-kit-client.test.ts';
import './fhir/lines-http.test.ts';
import './fhir/lines-search.test.ts';
import './fhir/shipped-edition.test.ts';
import './fhir/validators.test.ts';
