// SEC-36: what a person has allowed applications is shown at /account, and withdrawn there.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ask = async (token: string, path: string) =>
  (await fetch(`${service.issuer}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
const SEARCH = '/directory/v2/Practitioner?name=martin';

describe('SEC-36 applications', () => {
  it('are listed with what they may do in messages; those the operator trusts are not the person’s to withdraw', async () => {
    const person = createPerson(service.issuer);
    const credentials = credentialsOf(0);
    await signIn(service, { person, credentials });
    await signIn(service, { person, credentials, clientId: 'narrow', scope: 'openid email' });
    await signIn(service, { person, credentials, clientId: 'trusted' });
    const { html } = await openAccount(person, 0, '/account/applications');
    const [list = ''] = /<ul class="allowed">.*<\/ul>/s.exec(html) ?? [];
    expect(list.match(/<h2>[^<]*/g)).toEqual(['<h2>Dossier de test', '<h2>Peu de droits']);
    expect(list.match(/Search for health professionals/g)).toHaveLength(1);
    expect(list.match(/Your e-mail address/g)).toHaveLength(2);
    expect(list).toContain('aria-label="Withdraw access from Peu de droits"');
  });

  it('withdrawn by the person lose what they hold, ask anew, and are in the audit trail', async () => {
    const person = createPerson(service.issuer);
    const credentials = credentialsOf(1);
    const { tokens } = await signIn(service, { person, credentials });
    const other = await signIn(service, { person, credentials, clientId: 'narrow', scope: 'openid email' });
    const elsewhere = await signIn(service, { person: createPerson(service.issuer), credentials });
    const overview = await openAccount(person, 1, '/account/applications');
    const done = await person.press(overview, 'withdraw-server');
    expect([done.url, done.status]).toEqual([`${service.issuer}/account/applications`, 200]);
    expect(done.html).toContain('Dossier de test no longer has access to your account');
    expect(done.html).not.toContain('id="withdraw-server"');

    for (const token of [tokens.access_token, elsewhere.tokens.access_token]) {
      expect([await ask(token, SEARCH), await ask(token, '/userinfo')]).toEqual([401, 401]);
    }
    expect(await ask(other.tokens.access_token, '/userinfo')).toBe(200);
    expect((await person.visit(authorizationUrl(service))).html).toContain('id="allow"');
    const events = await openAuditEvents(service.database).search({ limit: 9, events: ['consent.withdrawn'] });
    const actor = `account:${idOf(1)}`;
    expect(events).toMatchObject([{ actor, account: idOf(1), client: 'server', address: '127.0.0.1' }]);

    // A second press of a button that is gone says nothing and does nothing.
    const again = await person.press(overview, 'withdraw-server');
    expect([again.status, again.html.includes('id="done"')]).toEqual([200, false]);
  });

  it('of others are out of reach, and so are those that nobody asked about', async () => {
    const trusted = await signIn(service, {
      person: createPerson(service.issuer),
      credentials: credentialsOf(2),
      clientId: 'trusted',
    });
    const server = await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(3) });
    const { person } = await enteredBy(service.issuer, 2);
    const csrf = /name="csrf" value="([^"]+)"/.exec((await person.visit('/account/second-factor')).html)?.[1] ?? '';
    expect((await person.visit('/account/applications')).html).not.toContain('id="withdraw');
    for (const client of ['trusted', 'server', 'hygie-account', 'nobody', '', 'x'.repeat(3000)]) {
      const body = new URLSearchParams({ csrf, client });
      const page = await person.visit('/account/applications', { method: 'POST', body });
      expect([page.status, page.url, page.html.includes('id="done"')]).toEqual([
        200,
        `${service.issuer}/account/applications`,
        false,
      ]);
    }
    expect(await ask(trusted.tokens.access_token, '/userinfo')).toBe(200);
    expect(await ask(server.tokens.access_token, '/userinfo')).toBe(200);
  });

  it('that the operator has taken away can still be withdrawn; a scope that was taken away is not shown', async () => {
    const person = createPerson(service.issuer);
    await signIn(service, { person, credentials: credentialsOf(4) });
    const clients = await testClients();
    service.replaceClients(
      clients.map((client) => ({ ...client, scopes: client.scopes.filter((s) => s !== 'email') })),
    );
    expect((await openAccount(person, 4, '/account/applications')).html).not.toContain('Your e-mail address');
    service.replaceClients(clients.filter(({ id }) => id !== 'server'));
    const overview = await openAccount(person, 4, '/account/applications');
    expect(overview.html).toContain('<h2>server</h2>');
    expect((await person.press(overview, 'withdraw-server')).html).toContain('server no longer has access');
  });
});
