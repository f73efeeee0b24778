// Runs one service for all tests of a file.

import { afterAll, beforeAll } from '@jest/globals';
import { type RunningService, type ServiceChoices, startService } from '#support/service.ts';

/** The service of the test file; it is there once the tests run. */
export let service: RunningService;

/** Has to be called at the top of a test file, before hooks that need the service. */
export function withService(choices?: ServiceChoices): void {
  beforeAll(async () => {
    service = await startService(choices);
  });
  afterAll(() => service.stop());
}
