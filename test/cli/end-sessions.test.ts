// SEC-55: an operator signs one person out everywhere, or everybody.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { credentialsOf, idOf } from '#support/openid/account/person-of-account.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

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

it('SEC-55 accounts end-sessions ends those of one account or of all, says how many, and is recorded', async () => {
  const tokens: string[] = [];
  for (const index of [0, 0, 1, 2]) {
    const person = createPerson(service.issuer);
    tokens.push((await signIn(service, { person, credentials: credentialsOf(index) })).tokens.access_token);
  }
  const alive = () =>
    Promise.all(
      tokens.map(async (token) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${service.issuer}/userinfo`, { headers })).status;
      }),
    );
  expect(await alive()).toEqual([200, 200, 200, 200]);
  const listed = await inProcess(place)(['accounts', 'sessions', credentialsOf(0).login]);
  expect(listed.stdout.match(/unknown .*pwd +server/g)).toHaveLength(2);
  const printed = await inProcess(place)(['accounts', 'sessions', idOf(1), '--json']);
  expect(JSON.parse(printed.stdout)).toMatchObject([{ device: null, methods: ['pwd'], clients: ['server'] }]);
  const one = await inProcess(place)(['accounts', 'end-sessions', credentialsOf(0).login]);
  expect([one.code, one.stderr.includes('2 session(s) ended')]).toEqual([0, true]);
  // No number of applications: which of them have an address for it is not in the database.
  expect(one.stderr).not.toContain('logout token(s)');
  expect(await alive()).toEqual([401, 401, 200, 200]);
  const all = await inProcess(place)(['accounts', 'end-sessions', '--all']);
  expect([all.code, all.stderr.includes('2 session(s) ended')]).toEqual([0, true]);
  expect(await alive()).toEqual([401, 401, 401, 401]);
  const records = await openAuditEvents(service.database).search({ limit: 5, events: ['account.sessions-ended'] });
  expect(records.map(({ account }) => account)).toEqual(expect.arrayContaining([idOf(0), undefined]));
  for (const wrong of [[], [credentialsOf(0).login, '--all']]) {
    expect((await inProcess(place)(['accounts', 'end-sessions', ...wrong])).code).toBe(2);
  }
});
