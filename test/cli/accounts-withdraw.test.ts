// SEC-36: what a person has allowed an application can be taken back, by the operator on the person's word.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';

let service: RunningService;
let place: Installation;
let hygie: Installation['hygie'];
beforeAll(async () => {
  service = await startService();
  place = installation({ HYGIE_DATA: service.settings.dataFolder });
  hygie = inProcess(place);
});
afterAll(async () => {
  place.remove();
  await service.stop();
});

it('SEC-36 accounts withdraw ends what the application holds, asks for consent again, and is in the audit trail', async () => {
  const person = createPerson(service.issuer);
  const { tokens } = await signIn(service, { person });
  const other = await signIn(service, { person, clientId: 'narrow', scope: 'openid email' });
  const status = async (token: string, path: string) =>
    (await fetch(`${service.issuer}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const search = '/directory/v2/Practitioner?name=martin';
  expect(await status(tokens.access_token, search)).toBe(200);

  const shown = await hygie(['accounts', 'show', CREDENTIALS.login]);
  expect(shown.stdout).toMatch(/^allowed server +openid email profile/m);
  const withdraw = ['accounts', 'withdraw', CREDENTIALS.login, '--client', 'server'];
  const done = await place.hygie(withdraw);
  expect([done.code, done.stdout]).toEqual([0, '']);

  expect(await status(tokens.access_token, search)).toBe(401);
  expect(await status(tokens.access_token, '/userinfo')).toBe(401);
  expect(await status(other.tokens.access_token, '/userinfo')).toBe(200);
  const page = await person.visit(authorizationUrl(service, { client_id: 'server' }));
  expect(page.html).toContain('id="allow"');

  const events = await openAuditEvents(service.database).search({ limit: 10, events: ['consent.withdrawn'] });
  expect(events).toMatchObject([
    { account: DEMO_ACCOUNTS[0]?.id, client: 'server', actor: expect.stringMatching(/^operator:/) },
  ]);
  const again = await hygie(withdraw);
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(again.stderr).toContain('nothing that could be taken back');
  const own = await hygie(['accounts', 'withdraw', CREDENTIALS.login, '--client', 'hygie-account']);
  expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('is the service itself')]);
});
