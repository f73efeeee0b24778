// The login page and its form, over HTTP.

import { beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { CODE, createSignInApp, PASSWORD, PERSON, waitingRequest } from '#support/openid/sign-in/sign-in-app.ts';
import { createVisitor, LOGIN, tokenIn, type Visitor } from '#support/openid/sign-in/visitor.ts';

describe('login', () => {
  let signInApp: Visitor['signInApp'];
  let browser: Visitor['browser'];
  let signIn: Visitor['signIn'];
  let post: Visitor['post'];

  /** Tokens of forms, each of which is masked anew. */
  const TOKENS = /name="csrf" value="[^"]+"/g;

  beforeEach(() => {
    ({ signInApp, browser, signIn, post } = createVisitor());
  });

  describe('sign-in page', () => {
    it('asks for login and password under names that outside tools rely on', async () => {
      const { text, headers } = await browser.get(LOGIN).expect(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(text).toMatch(/<input id="login" name="login"[^>]* autocomplete="username"/);
      expect(text).toMatch(/<input id="password" name="password" type="password" autocomplete="current-password"/);
      expect(text).toContain('id="sign-in" type="submit"');
      expect(text).toContain('<strong>Portail patient</strong>');
    });

    it('SEC-29 the right password leads on with a 303', async () => {
      const answer = await signIn(` ${PERSON.email} `, PASSWORD);
      expect(answer.status).toBe(303);
      expect(signInApp.outcomes).toEqual(['signed in account-1']);
      expect(signInApp.loginsTried).toEqual([PERSON.email]);
    });

    it('SEC-59 the password of a known browser waits in a lane of its own', async () => {
      for (let time = 0; time < 2; time += 1) await signIn(PERSON.email, PASSWORD);
      await signIn('somebody@else.example', PASSWORD);
      expect(signInApp.lanes).toEqual(['strangers', 'known', 'strangers']);
    });

    it('SEC-39 a wrong password and an unknown account get the same answer, the login kept', async () => {
      const normal = (answer: Response, login: string) => answer.text.replaceAll(login, '').replaceAll(TOKENS, '');
      const wrong = await signIn(PERSON.email, 'not the password');
      const unknown = await signIn('nobody@cabinet.example', PASSWORD);
      expect(wrong.status).toBe(422);
      expect(unknown.status).toBe(422);
      expect(wrong.text).toContain(`value="${PERSON.email}"`);
      expect(normal(unknown, 'nobody@cabinet.example')).toBe(normal(wrong, PERSON.email));
      expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers));
      expect(signInApp.loginsTried).toHaveLength(2);
    });

    it('SEC-39 after three failures an account has to wait, even with the right password; another has not', async () => {
      for (let failure = 0; failure < 3; failure += 1) await signIn(PERSON.email, 'wrong');
      const waiting = await signIn(PERSON.email.toUpperCase(), PASSWORD);
      expect(waiting.status).toBe(429);
      expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(890);
      expect(waiting.text).toContain('Tentatives bloquées pour ce compte');
      expect(waiting.text).toMatch(/jusqu’à \d\d\u00a0h\u00a0\d\d \(encore 15\u00a0minutes\)\./);
      expect(signInApp.loginsTried).toHaveLength(3);
      expect((await signIn('other@cabinet.example', 'wrong')).status).toBe(422);
    });

    it('SEC-39 a pause reads the same for an account that does not exist: whose attempts, until when, what helps', async () => {
      const normal = (answer: Response, login: string) =>
        answer.text
          .replaceAll(login, '')
          .replaceAll(TOKENS, '')
          .replaceAll(/\d\d\u00a0h\u00a0\d\d/g, 'then');
      const answers: string[] = [];
      for (const login of [PERSON.email, 'nobody@cabinet.example']) {
        for (let failure = 0; failure < 3; failure += 1) await signIn(login, 'wrong');
        answers.push(normal(await signIn(login, 'wrong'), login));
      }
      expect(answers[1]).toBe(answers[0]);
      expect(answers[0]).toContain('sur lequel vous avez déjà ouvert ce compte');
      expect(answers[0]).toContain('<a href="https://aide.example/">Obtenir de l’aide</a></p>\n</div>');
      expect(answers[0]).not.toContain('choisir un nouveau mot de passe');
      const byMail = createVisitor(createSignInApp({ mail: true }));
      for (let failure = 0; failure < 3; failure += 1) await byMail.signIn(PERSON.email, 'wrong');
      const { text } = await byMail.signIn(PERSON.email, 'wrong');
      expect(text).toMatch(/<li><a href="[^"]+">choisir un nouveau mot de passe<\/a>/);
    });

    it('SEC-39 a success forgets the failures before it', async () => {
      for (let round = 0; round < 2; round += 1) {
        for (let failure = 0; failure < 2; failure += 1) await signIn(PERSON.email, 'wrong');
        expect((await signIn(PERSON.email, PASSWORD)).status).toBe(303);
      }
    });

    it('SEC-59 a browser is known once both factors were right; then guesses of whoever has the password count apart', async () => {
      signInApp.withSecondFactor.add(PERSON.id);
      const known = createVisitor(signInApp);
      const enter = async (visitor: Pick<Visitor, 'signIn' | 'post'>, code: string) => {
        const first = await visitor.signIn(PERSON.email, PASSWORD);
        expect(String(first.headers['set-cookie'])).not.toContain('hygie_devices');
        return visitor.post(LOGIN, 'code', { code });
      };
      expect(String((await enter(known, CODE)).headers['set-cookie'])).toContain('hygie_devices');
      for (let guess = 0; guess < 3; guess += 1) expect((await enter({ signIn, post }, '000000')).status).toBe(422);
      expect((await enter({ signIn, post }, CODE)).status).toBe(429);
      expect((await enter(known, CODE)).status).toBe(303);
    });

    it('SEC-39 too many passwords at once: 503 in words, the login kept, no failure of the account', async () => {
      for (let failure = 0; failure < 2; failure += 1) await signIn(PERSON.email, 'wrong');
      signInApp.busy = true;
      for (let attempt = 0; attempt < 9; attempt += 1) {
        const answer = await signIn(PERSON.email, PASSWORD);
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toBe('15');
        expect(answer.text).toContain('Votre mot de passe n’a pas été vérifié.');
        expect(answer.text).toContain(`value="${PERSON.email}"`);
      }
      signInApp.busy = false;
      expect((await signIn(PERSON.email, 'wrong')).status).toBe(422);
      expect((await signIn(PERSON.email, PASSWORD)).status).toBe(429);
    });

    it('SEC-42 a forged X-Forwarded-For does not make another address', async () => {
      const csrf = tokenIn(await browser.get(LOGIN));
      const statuses: number[] = [];
      let last = '';
      for (let guess = 0; guess < 9; guess += 1) {
        const { status, text } = await browser
          .post(`${LOGIN}/login`)
          .set('x-forwarded-for', `192.0.2.${guess}`)
          .type('form')
          .send({ csrf, login: `person-${guess}@cabinet.example`, password: 'wrong' });
        statuses.push(status);
        last = text;
      }
      expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 422, 422, 429]);
      expect(last).toContain('Tentatives bloquées depuis votre réseau');
      expect(last).not.toContain('pour ce compte');
    });

    it('can be refused, not by a form of elsewhere', async () => {
      const csrf = tokenIn(await browser.get(LOGIN));
      expect((await browser.post(`${LOGIN}/cancel`).type('form').send({ csrf: 'forged' })).status).toBe(403);
      expect(signInApp.outcomes).toEqual([]);
      await browser.post(`${LOGIN}/cancel`).type('form').send({ csrf });
      expect(signInApp.outcomes).toEqual(['refused']);
    });

    it('says what is missing, at the field it is missing in', async () => {
      const answer = await signIn('', '');
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('aria-describedby="login-problem" aria-invalid="true" autofocus');
      expect(answer.text).toContain('aria-describedby="password-problem" aria-invalid="true"');
      expect(answer.text).toContain('<a href="#password">Saisissez votre mot de passe.</a>');
      expect(signInApp.loginsTried).toEqual([]);
    });

    it('SEC-17 the password never comes back', async () => {
      expect((await signIn(PERSON.email, 'a-very-particular-guess')).text).not.toContain('a-very-particular-guess');
    });

    it('SEC-32 SEC-43 a switch of the language keeps the login and never the password; a form of elsewhere fills in nothing', async () => {
      const csrf = tokenIn(await browser.get(LOGIN));
      const switchWith = (fields: Record<string, string>) =>
        browser
          .post(`${LOGIN}/language?lang=en`)
          .type('form')
          .send({ login: 'a"b@cabinet.example', ...fields });
      const answer = await switchWith({ csrf, password: 'a-very-particular-guess' });
      expect([answer.status, answer.headers['location']]).toEqual([200, undefined]);
      expect(answer.text).toContain('<html lang="en">');
      expect(answer.text).toContain('value="a&quot;b@cabinet.example"');
      expect(answer.text).not.toContain('a-very-particular-guess');
      expect((await browser.get(LOGIN)).text).toContain('<html lang="en">');
      const planted = await switchWith({ csrf: 'forged' });
      expect([planted.status, planted.text.includes('b@cabinet.example')]).toEqual([403, false]);
      expect((await switchWith({ csrf, login: 'a\u0000b' })).status).toBe(400);
      expect([signInApp.outcomes, signInApp.loginsTried]).toEqual([[], []]);
    });

    it('the address of an answered form, opened again, leads back to the page', async () => {
      await browser.get(`${LOGIN}/login`).expect(303).expect('location', LOGIN);
    });
  });

  it('SEC-33 session begins with a right password, under a new id each time; the one before is worth nothing', async () => {
    signInApp.withSecondFactor.add(PERSON.id);
    expect((await browser.get(LOGIN)).headers['set-cookie']).toBeUndefined();
    const given = async () => String((await signIn(PERSON.email, PASSWORD)).headers['set-cookie']);
    const first = await given();
    expect(first).toMatch(/^hygie_pages=.*; HttpOnly; SameSite=Lax/);
    expect((await browser.get(LOGIN)).text).toContain('id="verify"');
    signInApp.requests.set('ccc', waitingRequest('ccc'));
    const csrf = tokenIn(await browser.get('/interaction/ccc'));
    const fields = { csrf, login: PERSON.email, password: PASSWORD };
    const second = await browser.post('/interaction/ccc/login').type('form').send(fields);
    const idOf = (cookie: string) => cookie.split(';')[0] ?? '';
    expect(idOf(String(second.headers['set-cookie']))).not.toBe(idOf(first));
    const thief = request(signInApp.app).get(LOGIN).set('cookie', idOf(first));
    expect((await thief).text).toContain('id="sign-in"');
  });
});
