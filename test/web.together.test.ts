// The tests of `web`, in one copy of its modules (`test/support/jest/together.ts`).

import './web/appearance.test.ts';
import './web/built-pages.test.ts';
import './web/colours.test.ts';
import './web/cookies-and-policy.test.ts';
import './web/dates.test.ts';
import './web/forms.test.ts';
import './web/language.test.ts';
import './web/pages.test.ts';
import './web/posted-forms.test.ts';
import './web/sessions.test.ts';
