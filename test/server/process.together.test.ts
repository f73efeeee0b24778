// The tests of `server/process`, in one copy of its modules (`test/support/jest/together.ts`).

import './process/connections-by-network.test.ts';
import './process/http-server.test.ts';
import './process/open-servers.test.ts';
import './process/redirect.test.ts';
import './process/process-end.test.ts';
