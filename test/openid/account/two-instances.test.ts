// What two instances on one PostgreSQL agree on: sessions, factors and sign-outs of the account space, and links of mails under a race.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openedForAll } from '#support/opened.ts';
import { linkFor, twice } from '#support/openid/account/links.ts';
import {
  appOf,
  credentialsOf,
  enteredBy,
  idOf,
  openAccount,
  recoveryCodesOn,
} from '#support/openid/account/person-of-account.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { type RunningService, startService } from '#support/service.ts';

describe('an account at two instances', () => {
  // A person's own space on PostgreSQL with two instances behind a balancer: SEC-33, SEC-36 and SEC-41 whichever of them answers.
  const service = openedForAll(() => startService({ engine: 'postgresql' }));
  const other = openedForAll(() => startSecondInstance(service));

  /** What the other instance answers to the person's browser. */
  async function atOther(person: Person, path: string, fields?: Record<string, string>): Promise<Response> {
    const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
    const form = fields && { method: 'POST', body: new URLSearchParams(fields) };
    const answer = await other.send(service.issuer + path, { headers: { cookie }, ...form });
    person.remember(answer.headers);
    return answer;
  }

  const leadsTo = ({ headers }: Response) => headers.get('location')?.replace(/\?.*/, '');
  const tokenOn = (html: string) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';

  describe('two instances on one PostgreSQL', () => {
    beforeAll(() => resetService(service));

    it('SEC-33 know the same people, from the sign-in to the sign-out', async () => {
      const { person } = await enteredBy(service.issuer, 0);
      expect((await atOther(person, '/account')).status).toBe(200);
      await person.press(await person.visit('/logout'), 'sign-out');
      const begun = await atOther(person, '/account');
      expect([begun.status, leadsTo(begun)]).toEqual([303, '/authorize']);
      // Begun at the one, finished at the other.
      const login = await person.visit(begun.headers.get('location') ?? '');
      const overview = await person.press(login, 'sign-in', credentialsOf(0));
      expect([overview.url, overview.status]).toEqual([`${service.issuer}/account`, 200]);
    });

    it('SEC-33 take the answer to a sign-in once between them', async () => {
      const { person } = await enteredBy(service.issuer, 4);
      const session = [...person.cookies].filter(([key]) => key.startsWith('hygie_session'));
      const cookie = session.map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
      const begun = await fetch(`${service.issuer}/account`, { headers: { cookie }, redirect: 'manual' });
      const own = begun.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      const asked = new URL(begun.headers.get('location') ?? '', service.issuer);
      const answer = await fetch(asked, { headers: { cookie }, redirect: 'manual' });
      const callback = answer.headers.get('location') ?? '';
      expect(callback).toContain('/account/signed-in?code=');
      const headers = { cookie: `${cookie}; ${own}` };
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          index % 2 ? other.send(callback, { headers }) : fetch(callback, { headers, redirect: 'manual' }),
        ),
      );
      expect(taken.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 7 }, () => 400)]);
    });

    it('SEC-41 set up one second factor between them, and take each code once', async () => {
      const { person } = await enteredBy(service.issuer, 1);
      const page = await openAccount(person, 1, '/account/second-factor');
      const app = appOf(page);
      const done = await atOther(person, '/account/second-factor', { csrf: tokenOn(page.html), code: app() });
      const codes = recoveryCodesOn({ html: await done.text() } as never);
      expect([done.status, codes.length]).toEqual([200, 8]);

      const form = await person.visit('/account/second-factor/recovery-codes');
      const fields = { csrf: tokenOn(form.html), code: app(1) };
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          index % 2
            ? atOther(person, '/account/second-factor/recovery-codes', fields).then(({ status }) => status)
            : person.press(form, 'renew', { code: fields.code }).then(({ status }) => status),
        ),
      );
      expect(answers.filter((status) => status === 200)).toHaveLength(1);
      expect(answers.filter((status) => status === 422)).toHaveLength(5);
    });

    it('SEC-36 an access withdrawn at the one is gone at the other', async () => {
      const person = createPerson(service.issuer);
      const { tokens } = await signIn(service, { person, credentials: credentialsOf(3) });
      const overview = await openAccount(person, 3, '/account/applications');
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const search = `${service.issuer}/directory/v2/Practitioner?name=martin`;
      expect((await other.send(search, { headers })).status).toBe(200);
      const done = await atOther(person, '/account/applications', { csrf: tokenOn(overview.html), client: 'server' });
      expect(done.status).toBe(303);
      expect((await fetch(search, { headers })).status).toBe(401);
      expect((await other.send(search, { headers })).status).toBe(401);
      expect((await openAccount(person, 3, '/account/applications')).html).not.toContain('id="withdraw-server"');
    });
  });

  // SEC-69 raced: twenty who use one link at the same time, by two instances, and two accounts that want the same address.
  describe.each(bothEngines('openid/account/two-instances'))('SEC-69 links under a race on %s', (engine) => {
    let own: RunningService;
    /** Of both instances; SQLite has one, two in one process would wait for each other in vain. */
    let instances: (Send | undefined)[];
    beforeAll(async () => {
      const alone = engine === 'sqlite';
      own = alone ? await startService() : service;
      await resetService(own);
      instances = [undefined, alone ? undefined : other.send];
    });
    afterAll(async () => {
      if (engine === 'sqlite') await own.stop();
    });

    /** Presses the button of a page in as many browsers as there are forms, at both instances. */
    async function pressAll(
      links: readonly string[],
      button: string,
      fields: (index: number) => Record<string, string>,
    ) {
      const pages = await Promise.all(
        links.map(async (link, index) => {
          const person = createPerson(own.issuer, instances[index % 2] as never);
          return { person, page: await person.visit(link) };
        }),
      );
      return Promise.all(pages.map(({ person, page }, index) => person.press(page, button, fields(index))));
    }
    const winners = (answers: readonly Visit[]) =>
      answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));

    it('one of 20 new passwords by the same link is taken, and it is the one that signs in', async () => {
      const link = await linkFor(own, 'password-reset', idOf(0));
      // Ten of them get as far as their hash (SEC-39).
      const password = (index: number) => `la tortue violette numero ${index}`;
      const answers = await pressAll(
        Array.from({ length: 20 }, () => link),
        'save-password',
        (index) => twice(password(index)),
      );
      const [winner = -1, ...others] = winners(answers);
      expect([winner >= 0, others]).toEqual([true, []]);
      for (const { status } of answers.filter((_, index) => index !== winner)) expect([410, 429]).toContain(status);
      const credentials = { ...credentialsOf(0), password: password(winner) };
      await signIn(own, { person: createPerson(own.issuer), credentials });
    });

    it('of two accounts that confirm the same address at the same time one gets it', async () => {
      const wanted = 'wanted@clinic.example';
      const links = [
        await linkFor(own, 'email-change', idOf(1), wanted),
        await linkFor(own, 'email-change', idOf(2), wanted),
      ];
      const answers = await pressAll(links, 'confirm', () => ({}));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const accounts = openAccounts(own.database);
      const emails = [await accounts.find(idOf(1)), await accounts.find(idOf(2))].map((account) => account?.email);
      expect(emails.filter((email) => email === wanted)).toHaveLength(1);
    });
  });
});
