// The tests of `store`, in one copy of its modules (`test/support/jest/together.ts`).

import './store/accounts/deleted-accounts.test.ts';
import './store/accounts/links-and-limits.test.ts';
import './store/accounts/second-factors.test.ts';
import './store/accounts/sign-in-validity.test.ts';
import './store/audit/audit-chain.test.ts';
import './store/audit/audit-table.test.ts';
import './store/audit/audit-trail.test.ts';
import './store/audit/counts.test.ts';
import './store/contract.test.ts';
import './store/database/hosts.test.ts';
import './store/database/prepared.test.ts';
import './store/database/shared-connection.test.ts';
import './store/database/sqlite-file.test.ts';
import './store/database/unavailable.test.ts';
import './store/oidc/oidc-records.test.ts';
import './store/outbox/outbox.test.ts';
import './store/snapshots.together.test.ts';
