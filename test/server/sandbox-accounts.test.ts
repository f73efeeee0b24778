// Issue 13.18: the fictional people of a sandbox are everybody's, so that nobody may lock out the others.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keepAccountsShared } from '../../src/server/start/fictional-people.ts';
import { CREDENTIALS } from '../support/oidc/relying-party.ts';
import { createPerson } from '../support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ adjust: (settings) => ({ ...settings, sandbox: true }) });
});
afterAll(() => service.stop());

it.each([
  ...['password', 'passkeys', 'second-factor', 'second-factor/recovery-codes', 'second-factor/remove'],
  ...['sessions', 'sessions/others', 'email', 'data', 'deletion'],
])('SEC-59 /account/%s is refused to who signs in as one of them', async (page) => {
  const person = createPerson(service.issuer);
  const form = await person.visit(`/account/${page}`);
  const shown = await person.press(form, 'sign-in', CREDENTIALS);
  expect([shown.status, shown.html.includes('Compte partag\u00e9')]).toEqual([403, true]);
  const posted = await person.visit(`/account/${page}`, { method: 'POST', headers: { origin: service.issuer } });
  expect(posted.status).toBe(403);
  expect((await person.visit('/account')).status).toBe(200);
});

it('SEC-59 nor does anybody see what other visitors do', async () => {
  const person = createPerson(service.issuer);
  const shown = await person.press(await person.visit('/account/activity'), 'sign-in', CREDENTIALS);
  expect([shown.status, shown.html.includes('Compte partag\u00e9')]).toEqual([403, true]);
});

it('SEC-59 nor is a second factor set up for one of them on another way, as during a sign-in', async () => {
  const added = { codes: ['code'], notBefore: 0 };
  const factors = { setUp: async (_accountId: string, _proposal: string, _typed: string) => added };
  const shared = DEMO_ACCOUNTS[0]?.id ?? '';
  const inSandbox = keepAccountsShared(factors, { sandbox: true });
  expect(await inSandbox.setUp(shared, 'proposal', '123456')).toBeUndefined();
  expect(await inSandbox.setUp('a-tester', 'proposal', '123456')).toBe(added);
  expect(await keepAccountsShared(factors, { sandbox: false }).setUp(shared, 'proposal', '123456')).toBe(added);
});
