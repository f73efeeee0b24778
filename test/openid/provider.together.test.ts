// The tests of `openid/provider`, in one copy of its modules (`test/support/jest/together.ts`).

import './provider/addresses-and-prompts.test.ts';
import './provider/answered-requests.test.ts';
import './provider/audit-events.test.ts';
import './provider/audit.test.ts';
import './provider/authorization-request.test.ts';
import './provider/clock-set-back.test.ts';
import './provider/discovery/public-documents.test.ts';
import './provider/errors/error-log.test.ts';
import './provider/errors/error-responses.test.ts';
import './provider/errors/explanations.test.ts';
import './provider/errors/json-errors.test.ts';
import './provider/errors/reasons.test.ts';
import './provider/hostile-requests.property.test.ts';
import './provider/operator-changes.test.ts';
import './provider/pages.test.ts';
import './provider/patches/patches.test.ts';
import './provider/patches/replaced-members.test.ts';
import './provider/requests/offline-access.test.ts';
import './provider/requests/par.test.ts';
import './provider/requests/posted-requests.test.ts';
import './provider/requests/request-limits.test.ts';
import './provider/requests/request-parameters.test.ts';
import './provider/standard-claims.test.ts';
import './provider/storage/adapters.test.ts';
import './provider/storage/strangers.test.ts';
import './provider/suspended-links.test.ts';
