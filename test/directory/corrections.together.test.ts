// The tests of `directory/corrections`, in one copy of its modules (`test/support/jest/together.ts`).

import './corrections/corrected-orders.test.ts';
import './corrections/corrected-snapshots.property.test.ts';
import './corrections/hidden-parts.test.ts';
import './corrections/served-matches.test.ts';
import './corrections/served.test.ts';
