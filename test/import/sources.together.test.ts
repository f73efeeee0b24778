// The tests of `import/sources`, in one copy of its modules (`test/support/jest/together.ts`).

import './sources/archives.test.ts';
import './sources/damaged-files.test.ts';
import './sources/editions-of-files.test.ts';
import './sources/lines-and-flaws.test.ts';
import './sources/published-checksums.test.ts';
import './sources/read-files.test.ts';
import './sources/sizes-and-names.test.ts';
