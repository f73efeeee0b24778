// The tests of `import/registers`, in one copy of its modules (`test/support/jest/together.ts`).

import './registers/columns.test.ts';
import './registers/finess-json.test.ts';
import './registers/finess-json-names.test.ts';
import './registers/finess-layout.test.ts';
import './registers/finess-readers.test.ts';
import './registers/finess-text.test.ts';
import './registers/odd-values.test.ts';
import './registers/choose-files.test.ts';
import './registers/coordinates.test.ts';
import './registers/recognise-inputs.test.ts';
import './registers/recognised.test.ts';
import './registers/register-names.test.ts';
