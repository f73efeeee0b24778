// SEC-77, SEC-59: the fictional people of a sandbox are everybody's, so that nobody may lock out the others.

import { describe, expect, it } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';
import { idOf } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { startService, testClients } from '#support/service.ts';

describe('sandbox accounts', () => {
  const service = openedForAll(async () =>
    startService({
      adjust: (settings) => ({
        ...settings,
        sandbox: true,
        limits: { ...settings.limits, sessionsPerAccount: 2 },
        directory: { ...settings.directory, rate: { perSecond: 0.001, burst: 8 } },
      }),
      clients: (await testClients()).map((client) =>
        client.id === 'narrow' ? { ...client, workspace: 'ask' } : client,
      ),
    }),
  );

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

  /** Signs one more visitor in, in a browser of their own. */
  const visit = () => signIn(service, { person: createPerson(service.issuer) });
  /** Whether the tokens of a visitor still count. */
  const userinfo = ({ tokens }: Pick<Awaited<ReturnType<typeof visit>>, 'tokens'>) =>
    statusWith(service, tokens.access_token);
  const tokenOn = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';

  describe('SEC-77 visitors who are the same person in a sandbox', () => {
    it.each([
      ['/account/applications', 'withdraw what was allowed', { client: 'server' }],
      ['/account/workspace', 'change the place of work', { workspace: 'F694000027' }],
    ])('SEC-77 %s does not %s for others', async (page, _what, fields) => {
      const one = await visit();
      const other = createPerson(service.issuer);
      const space = await other.press(await other.visit('/account'), 'sign-in', CREDENTIALS);
      const before = await rows();
      const shown = await other.visit(page);
      const csrf = tokenOn(shown.html) || tokenOn(space.html);
      const body = new URLSearchParams({ csrf, ...fields });
      const posted = await other.visit(page, { method: 'POST', headers: { origin: service.issuer }, body });
      expect(await userinfo(one)).toBe(200);
      expect([shown.status, posted.status]).toEqual([403, 403]);
      expect(await rows()).toEqual(before);
    });

    it('SEC-77 are each asked for their consent, which the next one does not find given', async () => {
      for (let visitor = 0; visitor < 2; visitor += 1) {
        const person = createPerson(service.issuer);
        const page = await person.press(await person.visit(authorizationUrl(service)), 'sign-in', CREDENTIALS);
        expect(page.html).toContain('id="allow"');
        expect((await person.press(page, 'allow')).left?.searchParams.has('code')).toBe(true);
        // In the session of this visitor it counts.
        expect((await person.visit(authorizationUrl(service))).left?.searchParams.has('code')).toBe(true);
      }
      expect(await service.database('consents').where({ account_id: idOf(0) })).toEqual([]);
    });

    it('SEC-77 do not change the place of work for others where an application asks for it', async () => {
      const before = await rows();
      const person = createPerson(service.issuer);
      const url = authorizationUrl(service, { client_id: 'narrow', scope: 'openid' });
      const choice = await person.press(await person.visit(url), 'sign-in', CREDENTIALS);
      expect(choice.html).toContain('id="continue"');
      const next = await person.press(choice, 'continue', { workspace: 'F694000027' });
      expect(next.html).toContain('id="allow"');
      expect(await rows()).toEqual(before);
    });

    it('SEC-77 do not end each other’s sessions, however many there are', async () => {
      const visitors: Awaited<ReturnType<typeof visit>>[] = [];
      for (let visitor = 0; visitor < 5; visitor += 1) visitors.push(await visit());
      expect(await Promise.all(visitors.map(userinfo))).toEqual([200, 200, 200, 200, 200]);
    });

    it('SEC-76 have a share of the directory each', async () => {
      const [one, other] = [await visit(), await visit()];
      const statuses = async ({ tokens }: typeof one) => {
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const ask = async () =>
          (await fetch(`${service.settings.directory.url}/Practitioner?_count=1`, { headers })).status;
        return [await ask(), await ask(), await ask(), await ask(), await ask()];
      };
      expect(await statuses(one)).toEqual([200, 200, 200, 200, 429]);
      expect(await statuses(other)).toEqual([200, 200, 429, 429, 429]);
    });

    it('SEC-77 are not locked out by wrong passwords of others, who are by their own network', async () => {
      const person = createPerson(service.issuer);
      const page = await person.visit(authorizationUrl(service));
      const guess = { ...CREDENTIALS, password: 'a wrong password' };
      const guesses = await Promise.all(Array.from({ length: 12 }, () => person.press(page, 'sign-in', guess)));
      expect(guesses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 422));
      await visit();
      // Somebody who is no shared person is protected as everywhere.
      const unknown = await Promise.all(
        Array.from({ length: 12 }, () => person.press(page, 'sign-in', { ...guess, login: 'nobody@clinic.example' })),
      );
      expect(unknown.filter(({ status }) => status === 429)).toHaveLength(2);
    });
  });

  const rows = () =>
    service
      .database('accounts')
      .where({ id: idOf(0) })
      .select('current_workspace', 'updated_at');
});
