// Security checklist 41: with a lost second factor goes all that was signed in with it; against the running service.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSealing } from '../../src/shared/sealing.ts';
import { stepAt, totp } from '../../src/shared/totp.ts';
import { epochSeconds } from '../../src/store/connection.ts';
import { openSecondFactors } from '../../src/store/second-factors.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '../oidc/relying-party.ts';
import { createPerson } from '../person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '../service.ts';
import { type Installation, installation } from './hygie.ts';
import { inProcess } from './in-process.ts';

let service: RunningService;
let place: Installation;
beforeAll(async () => {
  service = await startService();
  place = installation({ HYGIE_DATA: service.settings.dataFolder });
});
afterAll(async () => {
  place.remove();
  await service.stop();
});

it('SEC-41 accounts remove-second-factor ends sessions and tokens, and the next sign-in asks for the password', async () => {
  const person = createPerson(service.issuer);
  const { tokens } = await signIn(service, { person });
  const status = async () =>
    (await fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })).status;
  const account = DEMO_ACCOUNTS[0]?.id ?? '';
  const factors = openSecondFactors(service.database, createSealing([]));
  const proposal = await factors.propose(account);
  const app = await factors.secretOf(account, proposal);
  await factors.setUp(account, proposal, totp(app, stepAt(epochSeconds())));
  expect(await status()).toBe(200);

  const removed = await inProcess(place)(['accounts', 'remove-second-factor', CREDENTIALS.login]);
  expect(removed).toMatchObject({ code: 0, stdout: '' });
  expect(await status()).toBe(401);
  const page = await person.visit(authorizationUrl(service, { client_id: 'server' }));
  expect(page.html).toContain('name="password"');
  // With the password alone, as for anybody without one.
  await signIn(service, { person: createPerson(service.issuer) });
});
