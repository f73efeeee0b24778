// SEC-70: the passkey that is offered after a password, with answers that no browser gives: to whom, and what it may not become.

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openedForAll } from '#support/opened.ts';
import { credentialsOf, idOf, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { startService } from '#support/service.ts';
import { optionsIn, softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

describe('passkey offer', () => {
  const DAY = 86_400_000;

  // On PostgreSQL, where answers at the same time really meet in the database.
  const service = openedForAll(() =>
    startService({
      engine: 'postgresql',
      adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }),
    }),
  );
  beforeEach(async () => {
    for (const table of ['passkeys', 'recovery_codes', 'rate_limits']) await service.database(table).delete();
  });

  const passkeysOf = (index: number) => openPasskeys(service.database).list(idOf(index));
  const device = () => softwareAuthenticator(service.issuer);
  /** Signs in by password, as a browser that can make a passkey; its session is gone before. */
  const enter = async (person: Person, index: number, fields: Record<string, string> = {}) => {
    person.cookies.delete('hygie_session /');
    const page = await person.visit(authorizationUrl(service));
    return person.press(page, 'sign-in', { ...credentialsOf(index), authenticator: 'yes', ...fields });
  };
  const isOffered = ({ html }: Visit) => html.includes('id="create-passkey"');
  const isIn = ({ html, left }: Visit) => left !== undefined || html.includes('id="allow"');
  /** A browser at which a passkey is offered just now. */
  const offeredTo = async (index: number) => {
    const person = createPerson(service.issuer);
    await enter(person, index);
    const page = await enter(person, index, { remember: 'yes' });
    expect(isOffered(page)).toBe(true);
    return { person, page };
  };
  const send = (person: Person, page: Visit, answer: string) =>
    person.press(page, 'create-passkey', { passkey: answer });

  describe('SEC-70 a passkey that is offered', () => {
    it('is added with recovery codes, ends other sessions, and the sign-in goes on', async () => {
      const { tokens } = await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(0) });
      const { person, page } = await offeredTo(0);
      const codes = await send(person, page, device().create(optionsIn(page)).answer);
      expect([recoveryCodesOn(codes).length, codes.html.includes('Votre clé d’accès est prête')]).toEqual([8, true]);
      expect([(await passkeysOf(0)).length, await statusWith(service, tokens.access_token)]).toEqual([1, 401]);
      expect((await person.press(codes, 'continue')).status).toBe(422);
      expect(isIn(await person.press(codes, 'continue', { saved: 'yes' }))).toBe(true);
      expect((await person.visit('/account')).html).toContain('id="sign-out"');
      const events = (await openAuditEvents(service.database).search({ limit: 20, account: idOf(0) })).map(
        ({ event }) => event,
      );
      expect(events).toContain('passkey.added');
      // The password alone is not enough from now on, and nothing more is offered.
      expect((await enter(person, 0)).html).toContain('id="use-passkey"');
    });

    it('raced: ten answers add one, and one gets the codes', async () => {
      const { person, page } = await offeredTo(1);
      const { answer } = device().create(optionsIn(page));
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(person, page, answer)));
      expect([(await passkeysOf(1)).length, answers.filter((one) => recoveryCodesOn(one).length > 0).length]).toEqual([
        1, 1,
      ]);
    });

    it('not by the answer of another browser, of another person, or without the form’s token', async () => {
      const { person, page } = await offeredTo(2);
      const other = await offeredTo(2);
      const stranger = await offeredTo(3);
      for (const { page: elsewhere } of [other, stranger]) {
        const refused = await send(person, page, device().create(optionsIn(elsewhere)).answer);
        expect([refused.status, isOffered(refused)]).toEqual([422, true]);
      }
      const { answer } = device().create(optionsIn(page));
      const stale = await person.press(page, 'create-passkey', { passkey: answer, csrf: 'x' });
      expect([stale.status, await passkeysOf(2)]).toEqual([403, []]);
    });

    it('not once the offer is declined, and no code, password or consent goes past it', async () => {
      const { person, page } = await offeredTo(4);
      const { answer } = device().create(optionsIn(page));
      const path = new URL(page.url).pathname;
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
      const post = (form: string, fields: Record<string, string>) =>
        person.visit(`${path}/${form}`, {
          method: 'POST',
          headers: { origin: service.issuer },
          body: new URLSearchParams({ csrf, ...fields }),
        });
      for (const [form, fields] of [
        ['code', { code: '123456' }],
        ['second-factor', { code: '123456' }],
        ['continue', { saved: 'yes' }],
        ['consent', { decision: 'allow' }],
      ] as const) {
        expect([form, isOffered(await post(form, fields))]).toEqual([form, true]);
      }
      expect(isIn(await person.press(page, 'later'))).toBe(true);
      await post('new-passkey', { passkey: answer });
      expect(await passkeysOf(4)).toEqual([]);
    });
  });

  it.each([
    ['one after the other', false],
    ['at the same time', true],
  ])(
    'SEC-55 an offer to who knows the password alone ends with the first passkey of the account: answered %s, one gets in',
    async (_how, atOnce) => {
      const offers = [await offeredTo(6), await offeredTo(6), await offeredTo(6)] as const;
      const answers = offers.slice(0, 2).map(({ person, page }) => {
        const { answer } = device().create(optionsIn(page));
        return () => send(person, page, answer);
      });
      const [first, second] = answers as [() => Promise<Visit>, () => Promise<Visit>];
      const results = atOnce ? await Promise.all([first(), second()]) : [await first(), await second()];
      expect(results.filter((one) => recoveryCodesOn(one).length > 0)).toHaveLength(1);
      expect(await passkeysOf(6)).toHaveLength(1);
      // Nor does "not now" go past the passkey.
      await offers[2].person.press(offers[2].page, 'later');
      for (const { person } of offers) expect((await person.visit('/account')).html).not.toContain('id="sign-out"');
    },
  );

  it('SEC-70 an offer that was left open ends ten minutes after the password, for an answer and for the page: the sign-in goes on without', async () => {
    const left = [await offeredTo(5), await offeredTo(5)] as const;
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now');
    clock.mockReturnValue(start + 9 * 60_000);
    const page = await left[0].person.visit(left[0].page.url);
    expect(isOffered(page)).toBe(true);
    clock.mockReturnValue(start + 11 * 60_000);
    expect(isIn(await send(left[0].person, page, device().create(optionsIn(page)).answer))).toBe(true);
    expect(isIn(await left[1].person.visit(left[1].page.url))).toBe(true);
    expect(await passkeysOf(5)).toEqual([]);
    clock.mockRestore();
  });

  describe('a passkey is offered', () => {
    it('at the second sign-in by password, where the browser says that it can make one', async () => {
      const person = createPerson(service.issuer);
      expect(isOffered(await enter(person, 5))).toBe(false);
      expect(isOffered(await enter(person, 5, { authenticator: '' }))).toBe(false);
      expect(isOffered(await enter(person, 5))).toBe(true);
    });

    it('not at a browser that knows other people, nor to who has one', async () => {
      const person = createPerson(service.issuer);
      await enter(person, 6);
      await enter(person, 7);
      expect(isOffered(await enter(person, 6))).toBe(false);
      const { person: owner, page } = await offeredTo(7);
      await send(owner, page, device().create(optionsIn(page)).answer);
      const step = await enter(owner, 7);
      expect([isOffered(step), step.html.includes('id="use-passkey"')]).toEqual([false, true]);
    });

    it('not for thirty days after "not now", which keeps the address as it was chosen', async () => {
      const { person, page } = await offeredTo(8);
      await person.press(page, 'later');
      person.cookies.delete('hygie_session /');
      expect((await person.visit(authorizationUrl(service))).html).toContain(`value="${credentialsOf(8).login}"`);
      const clock = jest.spyOn(Date, 'now');
      const start = Date.now();
      for (const [days, offered] of [
        [0, false],
        [29, false],
        [31, true],
      ] as const) {
        clock.mockReturnValue(start + days * DAY);
        const answer = await enter(person, 8, { remember: 'yes' });
        expect([days, isOffered(answer)]).toEqual([days, offered]);
      }
      clock.mockRestore();
    });

    it('SEC-77 to nobody who is the shared person of a sandbox', async () => {
      const issuer = (settings: Settings) => settings.issuer.replace('127.0.0.1', 'localhost');
      const sandbox = await startService({
        adjust: (settings) => ({ ...settings, sandbox: true, issuer: issuer(settings) }),
      });
      try {
        const person = createPerson(sandbox.issuer);
        for (const _time of [1, 2]) {
          person.cookies.delete('hygie_session /');
          const login = await person.visit(authorizationUrl(sandbox));
          // One of the buttons signs in as a fictional person.
          expect(login.html).toContain('Pédiatre');
          const page = await person.press(login, 'sign-in', { ...credentialsOf(0), authenticator: 'yes' });
          expect([isIn(page), isOffered(page)]).toEqual([true, false]);
        }
      } finally {
        await sandbox.stop();
      }
    });

    it('never at a shared computer, which keeps no address, until that is taken back', async () => {
      const { person, page } = await offeredTo(9);
      expect(isIn(await person.press(page, 'shared'))).toBe(true);
      person.cookies.delete('hygie_session /');
      const login = await person.visit(authorizationUrl(service));
      expect([login.html.includes('id="remember"'), login.html.includes(credentialsOf(9).login)]).toEqual([
        false,
        false,
      ]);
      expect(isOffered(await enter(person, 9, { remember: 'yes' }))).toBe(false);
      person.cookies.delete('hygie_session /');
      const unmarked = await person.press(await person.visit(authorizationUrl(service)), 'not-shared');
      expect([unmarked.html.includes('id="remember"'), unmarked.html.includes(credentialsOf(9).login)]).toEqual([
        true,
        false,
      ]);
      expect(isOffered(await enter(person, 9))).toBe(true);
    });
  });
});
