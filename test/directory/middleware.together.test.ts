// The tests of `directory/middleware`, in one copy of its modules (`test/support/jest/together.ts`).

import './middleware/answers.test.ts';
import './middleware/authenticate.test.ts';
import './middleware/challenges.test.ts';
import './middleware/limit-requests.test.ts';
import './middleware/raw-query.test.ts';
import './middleware/refusals.test.ts';
import './middleware/whole-answers.test.ts';
