// The tests of `directory/search`, in one copy of its modules (`test/support/jest/together.ts`).

import './search/bundle.test.ts';
import './search/chains.test.ts';
import './search/fuzz.property.test.ts';
import './search/hash-recheck.test.ts';
import './search/include-shares.property.test.ts';
import './search/includes.test.ts';
import './search/inclusions-and-notes.test.ts';
import './search/last-updated.test.ts';
import './search/limit-texts.test.ts';
import './search/modifiers.test.ts';
import './search/near.test.ts';
import './search/notes-on-values.test.ts';
import './search/one-search.test.ts';
import './search/pages-and-lenient.test.ts';
import './search/paging.test.ts';
import './search/people-without-role.test.ts';
import './search/readings.test.ts';
import './search/refusal-texts.test.ts';
import './search/refusals.test.ts';
import './search/resource-checks.test.ts';
import './search/search-keys.test.ts';
import './search/suggestion-texts.test.ts';
import './search/suggestions.test.ts';
import './search/truth.test.ts';
import './search/understood.test.ts';
import './search/what-people-write.test.ts';
