// The tests of `cli`, in one copy of its modules (`test/support/jest/together.ts`).

import './cli/account-names.test.ts';
import './cli/accounts-at-the-service.test.ts';
import './cli/accounts-unlinked.test.ts';
import './cli/accounts.test.ts';
import './cli/audit.test.ts';
import './cli/day-to-day.test.ts';
import './cli/directory/correct.test.ts';
import './cli/directory/directory.test.ts';
import './cli/directory/fictional-people.test.ts';
import './cli/directory/snapshots.test.ts';
import './cli/keys.test.ts';
import './cli/mail.test.ts';
import './cli/output.test.ts';
import './cli/sandbox.test.ts';
import './cli/second-factor.test.ts';
import './cli/shown-states.test.ts';
