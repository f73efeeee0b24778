// SEC-20, SEC-33, SEC-36: a token that the directory answered a moment ago is refused at the very next request, whoever withdrew what
// it depends on: this process, or another connection to the database, as an operator's command or another instance has.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { Database } from '#store/database/connection.ts';
import { ENGINES } from '#support/databases.ts';
import { type SignIn, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

const RECORDS = 'oidc_records';

/** What another process may do to the database, by what it ends. */
const WITHDRAWALS: [what: string, withdraw: (database: Database, accountId: string) => Promise<unknown>][] = [
  ['its row is removed', (database) => database(RECORDS).where({ model: 'AccessToken' }).delete()],
  ['it expires', (database) => database(RECORDS).where({ model: 'AccessToken' }).update({ expires_at: 1 })],
  ['its grant is removed', (database) => database(RECORDS).where({ model: 'Grant' }).delete()],
  ['its session is removed', (database) => database(RECORDS).where({ model: 'Session' }).delete()],
  ['the account is disabled', (database, id) => database('accounts').where({ id }).update({ status: 'disabled' })],
];

describe.each(ENGINES)('SEC-20 a token in use on %s is refused at once when', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const search = async ({ tokens }: SignIn) => {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await fetch(`${service.issuer}/directory/v2/Practitioner?name=martin`, { headers })).status;
  };
  const tokenInUse = async (person = 0) => {
    const credentials = { login: DEMO_ACCOUNTS[person]?.email ?? '', password: DEMO_PASSWORD };
    const signedIn = await signIn(service, { person: createPerson(service.issuer), credentials });
    for (let times = 0; times < 3; times += 1) expect(await search(signedIn)).toBe(200);
    return signedIn;
  };

  it.each(WITHDRAWALS.map(([what, withdraw], index) => ({ what, withdraw, index })))(
    '$what by another connection',
    async ({ withdraw, index }) => {
      const signedIn = await tokenInUse(index);
      await withdraw(service.database, DEMO_ACCOUNTS[index]?.id ?? '');
      expect(await search(signedIn)).toBe(401);
    },
  );

  it('it is revoked, and others go on', async () => {
    const revoked = await tokenInUse();
    const other = await tokenInUse(6);
    await oidc.tokenRevocation(revoked.configuration, revoked.tokens.access_token);
    expect(await search(revoked)).toBe(401);
    expect(await search(other)).toBe(200);
  });
});
