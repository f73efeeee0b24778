// The tests of `server/middleware`, in one copy of its modules (`test/support/jest/together.ts`).

import './middleware/check-host.test.ts';
import './middleware/compress-pages.test.ts';
import './middleware/foreign-authority.test.ts';
import './middleware/request-headers.test.ts';
import './middleware/request-log.test.ts';
