// The tests of `directory/format`, in one copy of its modules (`test/support/jest/together.ts`).

import './format/content-negotiation.test.ts';
import './format/subsets-and-forms.test.ts';
import './format/summary-and-elements.test.ts';
import './format/xml.test.ts';
