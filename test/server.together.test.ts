// The tests of `server`, in one copy of its modules (`test/support/jest/together.ts`).

import './server/app.test.ts';
import './server/audit/audit.test.ts';
import './server/audit/operator-records.test.ts';
import './server/backup/verify-backup.test.ts';
import './server/cleanup.together.test.ts';
import './server/database-remedy.test.ts';
import './server/instances.together.test.ts';
import './server/linked-accounts/linked-accounts.test.ts';
import './server/linked-accounts/same-record.test.ts';
import './server/metrics/definitions.test.ts';
import './server/metrics/worker-metrics.test.ts';
import './server/middleware.together.test.ts';
import './server/notify-operator.test.ts';
import './server/open-mail.test.ts';
import './server/page-weight.test.ts';
import './server/process.together.test.ts';
import './server/proxies.test.ts';
import './server/sandbox.test.ts';
import './server/sandbox-accounts.test.ts';
import './server/staging-folder.test.ts';
import './server/start.together.test.ts';
import './server/tracing/tracing.test.ts';
import './server/tracing/variables.test.ts';
