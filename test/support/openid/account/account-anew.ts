// Before each test, an account of the running service is as it was at the start, and its person has a new browser in English.

import { beforeAll, beforeEach } from '@jest/globals';
import { service } from '#support/openid/with-service.ts';
import type { Person } from '#support/person.ts';
import { resetAccount } from './factors.ts';
import { englishPerson } from './person-of-account.ts';

/** To be called after `withService`. `meet` takes the person of each test. The result does the same once more, within a test. */
export function withAccountAnew(id: string, meet: (person: Person) => void): () => Promise<void> {
  let asItWas: Record<string, unknown>;
  beforeAll(async () => {
    asItWas = await service.database('accounts').where({ id }).first();
  });
  const anew = async () => {
    await resetAccount(service, asItWas);
    meet(englishPerson(service.issuer));
  };
  beforeEach(anew);
  return anew;
}
