// Loaded before everything else in Jest's processes (`global-setup.ts`): guards that watch Node's own modules, and the validation of
// answers. They change nothing for a test that keeps to this machine and to files of its own.

import '#support/connections.ts';
import '#support/fhir/answer-validation.ts';
import './checkout-guard.ts';
