// Somebody who is signed in, as the load uses the person.

import type { Person } from '#support/person.ts';

export interface Member {
  person: Person;
  idToken: string;
  access: string;
  refresh: string;
  sid: string;
  code: string;
  /** A request that would have changed something had no clear answer: whether it was done is not known. */
  uncertain: boolean;
  busy: boolean;
}
