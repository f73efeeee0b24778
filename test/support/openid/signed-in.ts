// Runs a service for all tests of one file, with a person who has signed in there once.

import { afterAll, beforeAll } from '@jest/globals';
import { type RunningService, startService } from '#support/service.ts';
import { type SignIn, signIn } from './relying-party.ts';

/** What is there once the tests run, and not before. */
export interface SignedInService {
  readonly service: RunningService;
  readonly signedIn: SignIn;
}

/** To be called at the top of a test file. */
export function withSignedInService(): SignedInService {
  const on = {} as { service: RunningService; signedIn: SignIn };
  beforeAll(async () => {
    on.service = await startService();
    on.signedIn = await signIn(on.service);
  });
  afterAll(() => on.service.stop());
  return on;
}
