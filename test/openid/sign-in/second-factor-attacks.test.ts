// Attacks on the second step of a sign-in.

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { openPeople, type People } from '#cli/accounts/people.ts';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import {
  code,
  consent,
  enter,
  essential,
  factors,
  haveApp,
  KEPT,
  ME,
  newPerson,
  service,
  setUpAt,
  TWO,
  withTwoSteps,
} from '#support/openid/two-steps.ts';
import type { Person, Visit } from '#support/person.ts';

describe('attacks on the second factor', () => {
  withTwoSteps();

  // Security checklist 41 under attack: somebody who knows the password, or sits down at a browser that was left alone, and wants
  // to come away with more than that gives. What honest people and applications meet: `second-factor.test.ts`.
  describe('attacks', () => {
    afterEach(async () => {
      await service.database('oidc_records').where({ account_id: ME }).delete();
      await service.database('consents').delete();
    });

    /** Changes what the database holds of the sessions. */
    async function changeSessions(change: (session: Record<string, unknown>) => object): Promise<void> {
      const rows = await service.database('oidc_records').where({ model: 'Session', account_id: ME });
      expect(rows.length).toBeGreaterThan(0);
      for (const { id, payload } of rows) {
        const changed = JSON.stringify(change(JSON.parse(payload)));
        await service.database('oidc_records').where({ id }).update({ payload: changed });
      }
    }
    const secondsAgo = (seconds: number) => epochSeconds() - seconds;

    describe('SEC-41 a demand for a second factor', () => {
      it('holds for a session of which nobody knows how it began', async () => {
        const person = newPerson();
        await consent(person, await enter(person));
        await changeSessions(({ acr: _acr, amr: _amr, ...rest }) => rest);
        expect((await person.visit(authorizationUrl(service, { ...TWO, prompt: 'none' }))).left?.search).toContain(
          'error=login_required',
        );
      });

      it('Core 5.5.1.1 that is no list is refused, rather than met by a password', async () => {
        const { left } = await newPerson().visit(authorizationUrl(service, essential({ values: SECOND_FACTOR_ACR })));
        expect(left?.searchParams.get('error_description')).toBe('claims.id_token.acr.values should be an array');
      });

      it('Core 5.5.1.1 is called as it was essential, whatever stands in acr_values', async () => {
        await haveApp();
        const person = newPerson();
        await consent(person, await person.press(await enter(person), 'verify', { code: code() }));
        const password = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
        const parameters = { ...essential({ value: password }), acr_values: SECOND_FACTOR_ACR };
        expect((await signIn(service, { person, parameters })).tokens.claims()).toMatchObject({ acr: password });
      });
    });

    describe('SEC-33 how old a sign-in is', () => {
      it('is not forgotten over a consent page that was left open', async () => {
        const person = newPerson();
        const page = await enter(person, { prompt: 'consent' });
        expect(page.html).toContain('id="allow"');
        // As if the person had left the browser half an hour ago: in the session, and in the request that waits.
        const then = secondsAgo(1800);
        await service.database('accounts').update({ sessions_not_before: null });
        await changeSessions((session) => ({ ...session, loginTs: then }));
        const uid = new URL(page.url).pathname.split('/')[2] ?? '';
        const records = openOidcRecords(service.database);
        const row = await records.find('Interaction', uid);
        const waiting = JSON.parse(unseal([uid], String(row?.['sealed']), 'Interaction') ?? '{}');
        expect(waiting.lastSubmission.login.ts).toBeDefined();
        waiting.lastSubmission.login.ts = then;
        const sealed = seal(uid, JSON.stringify(waiting), 'Interaction');
        await records.upsert('Interaction', uid, { ...row, sealed }, 3600);
        expect((await person.press(page, 'allow')).left?.searchParams.get('code')).toBeTruthy();
        const asked = await person.visit(authorizationUrl(service, { max_age: '600' }));
        expect(asked.html).toContain('type="password"');
        expect((await person.visit('/account/second-factor')).html).toContain('type="password"');
      });

      it('counts when a code comes, rather than when it was asked for', async () => {
        const person = newPerson();
        await consent(person, await enter(person));
        await haveApp();
        const asked = await person.visit(authorizationUrl(service, { ...TWO, max_age: '600' }));
        expect(asked.html).toContain('id="verify"');
        await changeSessions((session) => ({ ...session, loginTs: secondsAgo(700) }));
        const refused = await person.press(asked, 'verify', { code: code() });
        expect(refused.left).toBeUndefined();
        expect(refused.html).toContain('type="password"');
        const again = await person.press(refused, 'sign-in', CREDENTIALS);
        expect((await person.press(again, 'verify', { code: code() })).left?.searchParams.get('code')).toBeTruthy();
      });
    });

    describe('SEC-41 who waits between the two steps', () => {
      let people: People;
      let passwordHash: string;
      beforeAll(async () => {
        people = openPeople(service.database, service.settings);
        // One that costs what it costs today stays as it is.
        passwordHash = await hashSecret(CREDENTIALS.password, LOW_COST);
        await people.change(ME, ({ setPassword }) => setPassword(ME, passwordHash));
      });
      afterEach(async () => {
        await people.change(ME, ({ setPassword }) => setPassword(ME, passwordHash));
        await people.change(ME, ({ update }) => update(ME, { status: 'active' }));
      });

      const firstCodeOf = ({ html }: Visit): string => {
        const key = /<p class="secret-key"><code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
        return new TOTP({ secret: key }).generate();
      };
      /** As `hygie accounts set-password` does. */
      const setPassword = async () => {
        const hash = await hashSecret('another phrase, that nobody else knows', LOW_COST);
        await people.change(ME, ({ setPassword }) => setPassword(ME, hash));
      };
      const asksForPassword = ({ html, left }: Visit) => left === undefined && html.includes('type="password"');

      it('with a password that was stolen sets no second factor up once the operator has set another', async () => {
        const thief = newPerson();
        const page = await enter(thief, TWO);
        await setPassword();
        expect(asksForPassword(await thief.press(page, 'set-up', { code: firstCodeOf(page) }))).toBe(true);
        expect(await factors.find(ME)).toBeUndefined();
        expect(asksForPassword(await thief.visit(page.url))).toBe(true);
      });

      it('at the set-up of an app is asked for a code of the app that was set up meanwhile', async () => {
        const thief = newPerson();
        const page = await enter(thief, TWO);
        await haveApp();
        const asked = await thief.press(page, 'set-up', { code: firstCodeOf(page) });
        expect([asked.html.includes('id="verify"'), asked.html.includes('id="set-up"')]).toEqual([true, false]);
      });

      it('does not come in with a code either, and the code is not spent', async () => {
        await haveApp();
        const thief = newPerson();
        const page = await enter(thief);
        await setPassword();
        expect(asksForPassword(await thief.press(page, 'verify', { code: code() }))).toBe(true);
        expect(await factors.take(ME, code())).toBe('code');
      });

      it('is out when the account is disabled: nothing of it is left when it is enabled again', async () => {
        await haveApp();
        const person = newPerson();
        const page = await enter(person);
        await openAccounts(service.database).update(ME, { status: 'disabled' });
        expect(asksForPassword(await person.press(page, 'verify', { code: code() }))).toBe(true);
        await openAccounts(service.database).update(ME, { status: 'active' });
        expect(asksForPassword(await person.visit(authorizationUrl(service)))).toBe(true);
      });

      it.each(['continue', 'reload'])(
        'at the recovery codes of one that the operator takes away does not %s',
        async (how) => {
          const thief = newPerson();
          const page = await enter(thief, TWO);
          const shown = await thief.press(page, 'set-up', { code: firstCodeOf(page) });
          expect(shown.html).toContain('id="continue"');
          await people.change(ME, ({ removeSecondFactor }) => removeSecondFactor(ME));
          const after = how === 'continue' ? await thief.press(shown, 'continue', KEPT) : await thief.visit(page.url);
          expect(asksForPassword(after)).toBe(true);
        },
      );
    });

    it('SEC-48 the trail tells that only the second factor was shown in a session', async () => {
      const shown = async () => {
        const trail = await openAuditEvents(service.database).search({ account: ME, limit: 1000 });
        return trail.filter(({ event }) => event === 'sign-in.succeeded').at(-1)?.details;
      };
      const person = newPerson();
      await consent(person, await enter(person));
      await haveApp();
      await person.press(await person.visit(authorizationUrl(service, TWO)), 'verify', { code: code() });
      expect(await shown()).toMatchObject({ methods: ['second-factor'] });
    });
  });

  // SEC-33, SEC-35: a browser can send the cookie of a request once more, also after its end. Nothing that was proved for the request before
  // counts then: the next person at a shared computer types a password.
  describe('a request that is sent once more after its end', () => {
    afterEach(async () => {
      await service.database('second_factors').delete();
    });

    /** Begins a sign-in; `restore` puts the cookies with which it began back into the browser. */
    async function begin(person: Person) {
      const login = await person.visit(authorizationUrl(service, TWO));
      const kept = new Map(person.cookies);
      const restore = () => {
        for (const [key, value] of kept) person.cookies.set(key, value);
      };
      return { login, restore };
    }

    async function signOut(person: Person) {
      await person.press(await person.visit('/logout'), 'sign-out');
      expect((await person.visit(authorizationUrl(service, { prompt: 'none' }))).left?.searchParams.get('error')).toBe(
        'login_required',
      );
    }

    it.each(['continue', 'reload'])(
      'asks for the password where a second factor was set up before (%s)',
      async (how) => {
        const person = newPerson();
        const { login, restore } = await begin(person);
        const setUp = await person.press(login, 'sign-in', CREDENTIALS);
        const { shown } = await setUpAt(person, setUp);
        const next = await person.press(how === 'continue' ? shown : await person.visit(login.url), 'continue', KEPT);
        expect((await consent(person, next)).left?.searchParams.has('code')).toBe(true);
        await signOut(person);

        restore();
        const again = await person.visit(login.url);
        expect([again.left, again.html.includes('id="sign-in"')]).toEqual([undefined, true]);
      },
    );

    it.each([
      ['the code of an app', true],
      ['an app to be set up', false],
    ])('asks for the password where it was refused at the question for %s', async (_what, app) => {
      if (app) await haveApp();
      const person = newPerson();
      const { login, restore } = await begin(person);
      const second = await person.press(login, 'sign-in', CREDENTIALS);
      expect(second.html).toContain(app ? 'id="verify"' : 'id="set-up"');
      expect((await person.press(login, 'cancel')).left?.searchParams.get('error')).toBe('access_denied');

      restore();
      expect((await person.visit(login.url)).html).toContain('id="sign-in"');
    });
  });
});
