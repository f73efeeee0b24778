// Security checklist 41, config/README.md "Second factor", against the running service: with a lost second factor goes all that was
// signed in with it; a secret that the service cannot decrypt is an error that an operator can find and repair.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

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
  const { uid } = await service.database('oidc_records').where({ model: 'Session' }).first();
  const account = DEMO_ACCOUNTS[0]?.id ?? '';
  const factors = openSecondFactors(service.database, createEncryption([]));
  const proposal = await factors.propose(account);
  const app = await factors.secretOf(account, proposal);
  await factors.setUp(account, proposal, totp(app, stepAt(epochSeconds())), uid);
  expect(await status()).toBe(200);

  const removed = await inProcess(place)(['accounts', 'remove-second-factor', CREDENTIALS.login]);
  expect(removed).toMatchObject({ code: 0, stdout: '' });
  expect(await status()).toBe(401);
  const page = await person.visit(authorizationUrl(service, { client_id: 'server' }));
  expect(page.html).toContain('name="password"');
  // With the password alone, as for anybody without one.
  await signIn(service, { person: createPerson(service.issuer) });
});

it('SEC-41 a secret that cannot be decrypted: an error page with a reference, while a recovery code is good', async () => {
  const { id = '', email = '' } = DEMO_ACCOUNTS[1] ?? {};
  const lost = openSecondFactors(service.database, createEncryption(['a secret that nobody has any more, alas']));
  const proposal = await lost.propose(id);
  const app = await lost.secretOf(id, proposal);
  const now = stepAt(epochSeconds());
  const [recovery = ''] = (await lost.setUp(id, proposal, totp(app, now)))?.codes ?? [];

  const person = createPerson(service.issuer);
  const login = await person.visit(authorizationUrl(service));
  const asked = await person.press(login, 'sign-in', { login: email, password: DEMO_PASSWORD });
  const failed = await person.press(asked, 'verify', { code: totp(app, now + 1) });
  expect(failed.status).toBe(500);
  const logged = service
    .logged()
    .split('\n')
    .find((line) => line.includes('DecryptionError') || line.includes('no secret is set'));
  const { reference, msg } = JSON.parse(logged ?? '{}');
  expect(msg).toContain('run npm run -s hygie -- keys encrypt');
  expect(reference).toBeTruthy();
  expect(failed.html).toContain(reference);

  const listed = await inProcess(place)(['keys', 'list']);
  expect(listed.stderr).toContain(`Accounts: ${id}`);
  expect(listed.stderr).toContain('hygie -- accounts remove-second-factor');
  const again = await person.visit(asked.url);
  const page = await person.press(again, 'verify', { recovery });
  expect(page.html).toContain('id="allow"');
});
