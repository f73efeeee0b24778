// The tests of `directory/resources`, in one copy of its modules (`test/support/jest/together.ts`).

import './resources/code-systems.test.ts';
import './resources/definitions.test.ts';
import './resources/label-synonyms.test.ts';
import './resources/record-labels.test.ts';
import './resources/record-names.test.ts';
import './resources/served-here.test.ts';
import './resources/shelf.test.ts';
