// The tests of `search-index`, in one copy of its modules (`test/support/jest/together.ts`).

import './search-index/chains.property.test.ts';
import './search-index/chains.test.ts';
import './search-index/doc-id-sets.test.ts';
import './search-index/editions.property.test.ts';
import './search-index/editions.test.ts';
import './search-index/field-orders.property.test.ts';
import './search-index/file-format.test.ts';
import './search-index/hash-recheck.test.ts';
import './search-index/jobs.test.ts';
import './search-index/joined-words.property.test.ts';
import './search-index/look-ups.test.ts';
import './search-index/near.property.test.ts';
import './search-index/pages.test.ts';
import './search-index/parts.test.ts';
import './search-index/point-lookup.test.ts';
import './search-index/posting-lists.test.ts';
import './search-index/read-ahead.test.ts';
import './search-index/search-threads.test.ts';
import './search-index/search.property.test.ts';
import './search-index/shared-values.test.ts';
import './search-index/spellings.test.ts';
import './search-index/stored-resources.test.ts';
import './search-index/text-forms.test.ts';
import './search-index/totals.test.ts';
import './search-index/verify-snapshot.test.ts';
import './search-index/words.test.ts';
