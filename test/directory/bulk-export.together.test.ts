// The tests of `directory/bulk-export`, in one copy of its modules (`test/support/jest/together.ts`).

import './bulk-export/answers.test.ts';
import './bulk-export/chunks.test.ts';
import './bulk-export/delta.property.test.ts';
import './bulk-export/export-load.test.ts';
import './bulk-export/export.test.ts';
import './bulk-export/ranges.test.ts';
import './bulk-export/renewal.test.ts';
import './bulk-export/requests-and-files.test.ts';
