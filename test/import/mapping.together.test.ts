// The tests of `import/mapping`, in one copy of its modules (`test/support/jest/together.ts`).

import './mapping/contact-points.test.ts';
import './mapping/addresses.test.ts';
import './mapping/department-areas.test.ts';
import './mapping/facts.test.ts';
import './mapping/organization.test.ts';
import './mapping/positions.test.ts';
import './mapping/practitioner.test.ts';
import './mapping/resource-ids.test.ts';
import './mapping/role-and-organization.test.ts';
