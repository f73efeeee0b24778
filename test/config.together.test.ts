// The tests of `config`, in one copy of its modules (`test/support/jest/together.ts`).

import './config/clients/clients.test.ts';
import './config/clients/identity.test.ts';
import './config/clients/profiles-and-messages.test.ts';
import './config/clients/refused-clients.test.ts';
import './config/clients/watch-clients.test.ts';
import './config/environment/connections.test.ts';
import './config/environment/key-secrets.test.ts';
import './config/environment/variables.test.ts';
import './config/schema/issues.test.ts';
import './config/schema/schema.test.ts';
import './config/service/advice.test.ts';
import './config/service/file-checks.test.ts';
import './config/service/groups.test.ts';
import './config/service/keys-and-networks.test.ts';
import './config/service/refused-values.test.ts';
import './config/service/settings.test.ts';
import './config/service/tables.test.ts';
import './config/service/try-client.test.ts';
