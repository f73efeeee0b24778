// The consent page, the choice of an account, and what all pages have in common, over HTTP.

import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PASSWORD, PERSON, waitingRequest } from '#support/openid/sign-in/sign-in-app.ts';
import { CHOICE, CONSENT, createVisitor, LOGIN, type Visitor } from '#support/openid/sign-in/visitor.ts';

describe('pages of a sign-in', () => {
  let signInApp: Visitor['signInApp'];
  let browser: Visitor['browser'];
  let post: Visitor['post'];
  let signIn: Visitor['signIn'];

  beforeEach(() => {
    ({ signInApp, browser, post, signIn } = createVisitor());
  });

  describe('SEC-35 a sign-in of another browser', () => {
    it('is refused on every address, in words', async () => {
      const answer = await browser.get('/interaction/unknown').expect(400);
      expect(answer.text).toContain('Cette page a expiré');
      expect(answer.text).toContain('Zk3vQ1xTb9aL');
      for (const form of ['login', 'consent', 'other-account']) {
        await browser.post(`/interaction/unknown/${form}`).type('form').send({}).expect(400);
      }
    });

    it('is refused when the browser holds another one', async () => {
      signInApp.requests.set('ccc', waitingRequest('aaa'));
      await browser.get('/interaction/ccc').expect(400);
    });
  });

  describe('an expired page', () => {
    it.each(['', '/login', '/consent'])(
      'speaks the other language at its own address (asked for as %j)',
      async (form) => {
        const at = '/interaction/unknown';
        const { text } = await (form
          ? browser
              .post(at + form)
              .type('form')
              .send({})
          : browser.get(at));
        expect(text).toContain(`<a href="${at}?lang=en" hreflang="en" lang="en">English</a>`);
        const other = await browser.get(`${at}?lang=en`).expect(400);
        expect(other.text).toContain('<h1>This page has expired</h1>');
        expect((await browser.get(at)).text).toContain('<html lang="en">');
      },
    );

    it('an address where nothing is has the link too, an answered form has none', async () => {
      const nowhere = await browser.get('/interaction/').expect(404);
      expect(nowhere.text).toContain('<a href="?lang=en"');
      expect(nowhere.text).toContain('<h1>Page introuvable</h1>');
      const foreign = await browser.post(`${LOGIN}/login`).set('origin', 'https://elsewhere.example').expect(403);
      expect(foreign.text).not.toContain('hreflang');
    });
  });

  describe('SEC-36 consent', () => {
    it('what is handed over stands apart from what the client may do', async () => {
      const scopes = ['openid', 'offline_access', 'email', 'profile', 'fhirUser', 'PRACTITIONER_READ'];
      signInApp.requests.set('bbb', waitingRequest('bbb', { prompt: 'consent', scopes }));
      const [, received = '', done = ''] = (await browser.get(CONSENT)).text.split('<h2>');
      expect(received.match(/<li>/g)).toHaveLength(4);
      expect(received).toContain('<li>Votre fiche dans l’annuaire des professionnels</li>');
      expect(done.match(/<li>/g)).toHaveLength(2);
    });

    it('says for how long access without the person lasts', async () => {
      const offline = { prompt: 'consent' as const, scopes: ['offline_access'], offlineFor: 30 * 86_400 };
      signInApp.requests.set('bbb', waitingRequest('bbb', offline));
      expect((await browser.get(CONSENT)).text).toContain('l’application (30\u00a0jours au plus)</li>');
    });

    it.each([
      ['consent', { choice: 'allow' }, 'allowed'],
      ['consent', { choice: 'refuse' }, 'refused'],
      ['other-account', {}, 'other account'],
    ])('%s %j', async (form, fields, outcome) => {
      const answer = await post(CONSENT, form, fields as Record<string, string>);
      expect(answer.status).toBe(303);
      expect(signInApp.outcomes).toEqual([outcome]);
    });

    it('nothing but a choice is a choice', async () => {
      expect((await post(CONSENT, 'consent', { choice: 'perhaps' })).status).toBe(400);
      expect(signInApp.outcomes).toEqual([]);
    });

    it('cannot be given in place of a sign-in, nor the other way round', async () => {
      expect((await post(LOGIN, 'consent', { choice: 'allow' })).headers['location']).toBe(LOGIN);
      expect((await post(CONSENT, 'login', { login: PERSON.email, password: PASSWORD })).headers['location']).toBe(
        CONSENT,
      );
      expect(signInApp.outcomes).toEqual([]);
    });
  });

  describe('OpenID Connect Core 3.1.2.1 the choice of an account (prompt=select_account)', () => {
    it.each([
      ['same-account', 'same account'],
      ['other-account', 'other account'],
      ['cancel', 'refused'],
    ])('%s', async (form, outcome) => {
      expect((await post(CHOICE, form, {})).status).toBe(303);
      expect(signInApp.outcomes).toEqual([outcome]);
    });

    it('cannot be made in place of a sign-in or a consent, nor the other way round', async () => {
      expect((await post(LOGIN, 'same-account', {})).headers['location']).toBe(LOGIN);
      expect((await post(CONSENT, 'same-account', {})).headers['location']).toBe(CONSENT);
      expect((await post(CHOICE, 'consent', { choice: 'allow' })).headers['location']).toBe(CHOICE);
      const typed = await post(CHOICE, 'login', { login: PERSON.email, password: PASSWORD });
      expect(typed.headers['location']).toBe(CHOICE);
      expect(signInApp.outcomes).toEqual([]);
    });
  });

  it.each([LOGIN, CONSENT, CHOICE])(
    'SEC-31 policy of the pages %s lets its forms lead to the callback, and is never stored',
    async (page) => {
      const { headers, text } = await browser.get(page);
      expect(headers['content-security-policy']).toContain("form-action 'self' https://portail.example;");
      expect(headers['cache-control']).toBe('no-store');
      expect(text).not.toMatch(/<script .|<style| style=| on[a-z]+=/i);
      // Its own scripts, and nothing else.
      const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script);
      const hashes = scripts.map((script) => `'sha256-${hash('sha256', script, 'base64')}'`);
      expect(headers['content-security-policy']).toContain(`; script-src ${hashes.join(' ') || "'none'"};`);
    },
  );

  describe('language', () => {
    it('follows ui_locales, then the browser, then French', async () => {
      expect((await browser.get(LOGIN)).text).toContain('<html lang="fr">');
      expect((await browser.get(LOGIN).set('accept-language', 'en-GB')).text).toContain('<html lang="en">');
      signInApp.requests.set('aaa', waitingRequest('aaa', { uiLocales: 'en' }));
      expect((await browser.get(LOGIN).set('accept-language', 'fr')).text).toContain('<html lang="en">');
    });

    it('is switched by a link, and kept to the end of the sign-in', async () => {
      expect((await browser.get(CONSENT)).text).toContain(
        `<a href="${CONSENT}?lang=en" hreflang="en" lang="en">English</a>`,
      );
      expect((await browser.get(`${LOGIN}?lang=en`)).text).toContain('<h1>Sign in</h1>');
      expect((await signIn(PERSON.email, 'wrong')).text).toContain('We couldn’t sign you in');
      expect((await browser.get(CONSENT)).text).toContain('<h1>Allow Portail patient?</h1>');
    });
  });
});
