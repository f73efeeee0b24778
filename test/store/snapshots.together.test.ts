// The tests of `store/snapshots`, in one copy of its modules (`test/support/jest/together.ts`).

import './snapshots/background-work.test.ts';
import './snapshots/corrections.test.ts';
import './snapshots/distribution-attacks.test.ts';
import './snapshots/distribution-bad-days.test.ts';
import './snapshots/distribution-steps.test.ts';
import './snapshots/distribution.test.ts';
import './snapshots/import-lock.test.ts';
import './snapshots/judgements.test.ts';
import './snapshots/registry-rows.test.ts';
import './snapshots/registry.test.ts';
import './snapshots/served-snapshot.test.ts';
