// What an operator takes from a person ends at the running service at once: consents (SEC-36), sessions (SEC-55), second factors (SEC-41).

import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setEmail } from '#cli/accounts/change-accounts.ts';
import { openPeople } from '#cli/accounts/people.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { openedForAll } from '#support/opened.ts';
import { credentialsOf, idOf } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService } from '#support/service.ts';

let hygie: Installation['hygie'];

describe('accounts of people who are signed in', () => {
  const service = openedForAll(startService);

  const place = openedForAll(() => installation({ HYGIE_DATA: service.settings.dataFolder }));

  beforeAll(() => {
    hygie = inProcess(place);
  });

  beforeEach(async () => {
    for (const table of ['consents', 'oidc_records', 'recovery_codes', 'second_factors'])
      await service.database(table).delete();
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
    const done = await hygie(['accounts', 'withdraw', CREDENTIALS.login, '--client', 'server']);
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
    const listed = await hygie(['accounts', 'sessions', credentialsOf(0).login]);
    expect(listed.stdout.match(/unknown .*pwd +server/g)).toHaveLength(2);
    const printed = await hygie(['accounts', 'sessions', idOf(1), '--json']);
    expect(JSON.parse(printed.stdout)).toMatchObject([{ device: null, methods: ['pwd'], clients: ['server'] }]);
    const one = await hygie(['accounts', 'end-sessions', credentialsOf(0).login]);
    expect([one.code, one.stderr.includes('2 sessions ended')]).toEqual([0, true]);
    // No number of applications: which of them have an address for it is not in the database.
    expect(one.stderr).not.toContain('logout token(s)');
    expect(await alive()).toEqual([401, 401, 200, 200]);
    const all = await hygie(['accounts', 'end-sessions', '--all']);
    expect([all.code, all.stderr.includes('2 sessions ended')]).toEqual([0, true]);
    expect(await alive()).toEqual([401, 401, 401, 401]);
    const records = await openAuditEvents(service.database).search({ limit: 5, events: ['account.sessions-ended'] });
    expect(records.map(({ account }) => account)).toEqual(expect.arrayContaining([idOf(0), undefined]));
  });

  it('specification 2.2 the e-mail address can change without any mail, and the uuid stays: accounts set-email', async () => {
    const person = createPerson(service.issuer);
    const { login, password } = credentialsOf(3);
    const { tokens: before } = await signIn(service, { person, credentials: { login, password } });
    const changed = await hygie(['accounts', 'set-email', login, 'another@clinic.example', '--email-verified']);
    expect([changed.code, changed.stdout]).toEqual([0, '']);

    const headers = { authorization: `Bearer ${before.access_token}` };
    const userinfo = (await (await fetch(`${service.issuer}/userinfo`, { headers })).json()) as Record<string, unknown>;
    expect(userinfo).toMatchObject({ sub: idOf(3), email: 'another@clinic.example', email_verified: true });
    const { tokens } = await signIn(service, {
      person: createPerson(service.issuer),
      credentials: { login: 'another@clinic.example', password },
    });
    expect(tokens.claims()).toMatchObject({ sub: idOf(3), email: 'another@clinic.example', email_verified: true });
    const refused = signIn(service, { person: createPerson(service.issuer), credentials: { login, password } });
    await expect(refused).rejects.toThrow();
  });

  it('accounts set-email records the address that a person has chosen meanwhile as the one before', async () => {
    const people = openPeople(service.database, service.settings);
    const findByEmail: typeof people.findByEmail = async (email) => {
      const found = await people.findByEmail(email);
      await openAccounts(service.database).update(idOf(4), { email: 'meanwhile@clinic.example' });
      return found;
    };
    const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await setEmail({ ...people, findByEmail }, {}, credentialsOf(4).login, 'later@clinic.example');
    printed.mockRestore();
    const [event] = await openAuditEvents(service.database).search({ limit: 1, events: ['account.email-changed'] });
    expect(event).toMatchObject({ account: idOf(4), details: { before: 'meanwhile@clinic.example' } });
  });

  it('SEC-41 accounts remove-second-factor ends sessions and tokens, and the next sign-in asks for the password', async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person });
    const status = async () =>
      (await fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } }))
        .status;
    const { uid } = await service.database('oidc_records').where({ model: 'Session' }).first();
    const account = DEMO_ACCOUNTS[0]?.id ?? '';
    const factors = openSecondFactors(service.database, createEncryption([]));
    const proposal = await factors.propose(account);
    const app = await factors.secretOf(account, proposal);
    await factors.setUp(account, proposal, totp(app, stepAt(epochSeconds())), uid);
    expect(await status()).toBe(200);

    const removed = await hygie(['accounts', 'remove-second-factor', CREDENTIALS.login]);
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

    const listed = await hygie(['keys', 'list']);
    expect(listed.stderr).toContain(`Accounts: ${id}`);
    expect(listed.stderr).toContain('hygie -- accounts remove-second-factor');
    const again = await person.visit(asked.url);
    const page = await person.press(again, 'verify', { recovery });
    expect(page.html).toContain('id="allow"');
  });
});
