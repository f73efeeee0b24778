// The tests of `directory`, in one copy of its modules (`test/support/jest/together.ts`).

import './directory/bulk-export.together.test.ts';
import './directory/corrections.together.test.ts';
import './directory/format.together.test.ts';
import './directory/metadata/base-address.test.ts';
import './directory/metadata/edition-examples.test.ts';
import './directory/metadata/examples.test.ts';
import './directory/metadata/openapi-bodies.test.ts';
import './directory/metadata/public.test.ts';
import './directory/metadata/statement.test.ts';
import './directory/middleware.together.test.ts';
import './directory/read-texts.test.ts';
import './directory/read.test.ts';
import './directory/reference.together.test.ts';
import './directory/resources.together.test.ts';
import './directory/router.test.ts';
