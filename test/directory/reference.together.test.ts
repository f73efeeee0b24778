// The tests of `directory/reference`, in one copy of its modules (`test/support/jest/together.ts`).

import './reference/chapters.test.ts';
import './reference/contents.test.ts';
import './reference/data-and-samples.test.ts';
import './reference/descriptions.test.ts';
import './reference/page.test.ts';
import './reference/routes.test.ts';
import './reference/snippets.test.ts';
import './reference/try-outline.test.ts';
import './reference/try.test.ts';
