// Loaded before everything else in Jest's processes (`global-setup.ts`): guards that watch Node's own modules, and the validation of
// answers. They change nothing for a test that keeps to this machine and to files of its own.

import { isMainThread } from 'node:worker_threads';
import '#support/connections.ts';
import './checkout-guard.ts';

// Test files run in the first thread. The threads that they start need the guards alone.
if (isMainThread) await import('#support/fhir/answer-validation.ts');
