// What is shown on the way out of a sign-in: a password of one’s own in place of the operator’s, and the page when all is done.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { CALLBACK } from '#support/service.ts';
import { messagesIn } from '#web/messages.ts';

describe('finished sign-ins', () => {
  withService();

  // Coming back to the page of a sign-in that has ended, by Back, a reload or a bookmark: what is said is true, and there is a way on.
  describe('finished sign-ins', () => {
    beforeEach(() => resetService(service));

    let person: Person;
    /** The page on which the person signed in, and the one on which they agreed. */
    let signedInAt: string;
    let agreedAt: string;

    const open = async (visitor: Person): Promise<Visit> => visitor.visit(await authorizationUrl(service));
    const titleOf = ({ html }: Visit) => /<h1>([^<]*)<\/h1>/.exec(html)?.[1];
    const linksOf = ({ html }: Visit) =>
      [...html.matchAll(/<a class="button[^"]*" id="([^"]+)" href="([^"]+)"/g)].map(([, id, href]) => `${id} ${href}`);
    const HOME_OF_APPLICATION = `application ${new URL(CALLBACK).origin}/`;

    beforeEach(async () => {
      person = createPerson(service.issuer);
      const asked = await open(person);
      signedInAt = asked.url;
      const consent = await person.press(asked, 'sign-in', CREDENTIALS);
      agreedAt = consent.url;
      expect((await person.press(consent, 'allow')).left?.searchParams.get('code')).toBeTruthy();
    });

    describe('the page of a sign-in that has ended', () => {
      it('says that the person is signed in, and leads to the application and to the account', async () => {
        for (const address of [signedInAt, agreedAt, `${agreedAt}/consent`]) {
          const back = await person.visit(address);
          expect([back.status, titleOf(back)]).toEqual([200, 'Votre session est ouverte']);
          expect(linksOf(back)).toEqual([HOME_OF_APPLICATION, 'account /account']);
          expect(back.html).not.toMatch(/expiré|transmise/);
          expect(back.html).toContain(messagesIn('fr').finished.shared);
          expect(back.headers.get('cache-control')).toBe('no-store');
        }
        expect(titleOf(await person.visit(`${agreedAt}?lang=en`))).toBe('You are signed in');
        await person.visit(`${agreedAt}?lang=fr`);
      });

      it('SEC-35 SEC-62 says nothing of it in another browser, nor by a cookie of another sign-in', async () => {
        const stranger = createPerson(service.issuer);
        const expired = await stranger.visit(agreedAt);
        expect([expired.status, titleOf(expired), linksOf(expired)]).toEqual([400, 'Cette page a expiré', ['home /']]);
        const other = await open(stranger);
        const pathOf = (address: string) => new URL(address).pathname;
        const kept = [...person.cookies].find(([key]) => key === `hygie_finished ${pathOf(agreedAt)}`)?.[1] ?? '';
        expect(kept).not.toContain('server');
        stranger.cookies.set(`hygie_finished ${pathOf(signedInAt)}`, kept);
        expect(titleOf(await stranger.visit(signedInAt))).toBe('Cette page a expiré');
        expect(titleOf(await stranger.visit(other.url))).toBe('Connexion');
      });

      it('SEC-03 leads to no address of the request: only to what is registered for the application', async () => {
        const back = await person.visit(
          `${agreedAt}?redirect_uri=https://evil.example/&client_uri=https://evil.example/`,
        );
        expect(linksOf(back)[0]).toBe(HOME_OF_APPLICATION);
        expect(back.html.replaceAll(/lang=[^"]*/g, '')).not.toContain('evil.example');
      });

      it('names the application to which the person refused access, or did not sign in', async () => {
        const visitor = createPerson(service.issuer);
        const asked = await open(visitor);
        expect((await visitor.press(asked, 'cancel')).left?.searchParams.get('error')).toBe('access_denied');
        const cancelled = await visitor.visit(asked.url);
        expect(cancelled.html).toContain('Vous n’avez pas ouvert de session pour ');
        const consent = await person.visit(await authorizationUrl(service, { prompt: 'consent' }));
        expect((await person.press(consent, 'refuse')).left?.searchParams.get('error')).toBe('access_denied');
        const refused = await person.visit(consent.url);
        expect(refused.html).toContain('Vous avez refusé l’accès à ');
        for (const page of [cancelled, refused]) {
          expect([page.status, titleOf(page)]).toEqual([200, 'Connexion annulée']);
          expect(linksOf(page)[0]).toBe(HOME_OF_APPLICATION);
          expect(page.html).not.toContain(messagesIn('fr').finished.shared);
        }
      });

      it('no longer says so once the session has ended, and still knows the application', async () => {
        const question = await person.visit('/logout');
        const out = await person.press(question, 'sign-out', { logout: 'yes' });
        expect([titleOf(out), linksOf(out)]).toEqual(['Votre session est fermée', ['account /account']]);
        const back = await person.visit(agreedAt);
        expect([back.status, titleOf(back), linksOf(back)]).toEqual([
          400,
          'Cette page a expiré',
          [HOME_OF_APPLICATION],
        ]);
      });
    });
  });

  // SEC-66: a password that an operator chose is replaced before anything is given to an application.
  describe("SEC-66 an operator's initial password", () => {
    beforeEach(() => resetService(service));

    const INITIAL = 'lampadaire rouge 48 nuages';
    const CHOSEN = 'tortue violette sous la pluie';

    /** What `accounts add` makes, but for the cost of the hash. */
    const add = async (email: string) => {
      const passwordHash = await hashSecret(INITIAL, LOW_COST);
      const account = { email, name: 'Paul Exemple', passwordHash, passwordChangeRequired: true };
      await openAccounts(service.database).create([account]);
    };
    const enter = async (login: string, password = INITIAL) => {
      const person = createPerson(service.issuer);
      const page = await person.press(await person.visit(authorizationUrl(service)), 'sign-in', { login, password });
      return { person, page };
    };
    const asks = ({ html, left }: Visit) => left === undefined && html.includes('id="save-password"');
    const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });

    it('is changed at the first sign-in: nothing is given to the application before', async () => {
      await add('one@clinic.example');
      const { person, page } = await enter('one@clinic.example');
      expect(asks(page)).toBe(true);
      expect(page.html).toContain('autocomplete="new-password"');
      const silent = await person.visit(authorizationUrl(service, { prompt: 'none' }));
      expect(silent.left?.searchParams.get('error')).toBe('login_required');
      // The page again, and no way round it.
      expect(asks(await person.visit(page.url))).toBe(true);
      const forms = ['code', 'second-factor', 'continue', 'consent'].map(
        (form) => `${new URL(page.url).pathname.replace(/\/login$/, '')}/${form}`,
      );
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
      for (const form of forms) {
        const body = new URLSearchParams({ csrf, code: '123456', answer: 'allow' });
        const after = await person.visit(form, { method: 'POST', body, headers: { origin: service.issuer } });
        expect(after.left).toBeUndefined();
        expect(await service.database('oidc_records').where({ model: 'AuthorizationCode' })).toEqual([]);
      }

      const went = await person.press(await person.visit(page.url), 'save-password', twice(CHOSEN));
      expect(went.html).toContain('id="allow"');
      expect((await person.press(went, 'allow')).left?.searchParams.get('code')).toBeTruthy();
      // Once: and in the same second, as the case may be.
      const credentials = { login: 'one@clinic.example', password: CHOSEN };
      await signIn(service, { person: createPerson(service.issuer), credentials });
    });

    it('that is set anew in the middle of it ends the sign-in', async () => {
      await add('four@clinic.example');
      const { person, page } = await enter('four@clinic.example');
      const accounts = openAccounts(service.database);
      const { account } = (await accounts.findByEmail('four@clinic.example')) ?? {};
      await accounts.setPassword(account?.id ?? '', await hashSecret('autre phrase 77 lunes', LOW_COST));
      const after = await person.press(page, 'save-password', twice(CHOSEN));
      expect(after.html).toContain('id="sign-in"');
    });
  });
});
