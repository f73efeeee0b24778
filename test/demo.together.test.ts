// The tests of `demo`, in one copy of its modules (`test/support/jest/together.ts`).

import './demo/demo.test.ts';
import './demo/search/empty-results.test.ts';
import './demo/search/record-pages.test.ts';
import './demo/search/records.test.ts';
import './demo/search/search-pages.test.ts';
import './demo/search/towns.test.ts';
import './demo/search/words.test.ts';
