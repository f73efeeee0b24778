// Runs one service for all tests of a file.

import { afterAll, beforeAll } from '@jest/globals';
import { type RunningService, type ServiceChoices, startService } from '#support/service.ts';

/** The service of the test file; it is there once the tests run. */
export let service: RunningService;

/** Has to be called once in a test file, before hooks that need the service. */
export function withService(choices: ServiceChoices | (() => Promise<ServiceChoices>) = {}): void {
  beforeAll(async () => {
    service = await startService(typeof choices === 'function' ? await choices() : choices);
  });
  afterAll(() => service.stop());
}
