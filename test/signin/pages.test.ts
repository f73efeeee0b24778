// Proves what the pages of a sign-in answer and refuse, over HTTP, with the dialogue of `stage.ts` behind them.

import { beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Agent, type Response } from 'supertest';
import { createStage, PASSWORD, PERSON, type Stage, waitingRequest } from './stage.ts';

const LOGIN = '/interaction/aaa';
const CONSENT = '/interaction/bbb';

let stage: Stage;
let browser: Agent;

beforeEach(() => {
  stage = createStage();
  stage.requests.set('aaa', waitingRequest('aaa'));
  stage.requests.set('bbb', waitingRequest('bbb', { prompt: 'consent', account: PERSON }));
  browser = request.agent(stage.app);
});

/** The token in a page's form. */
function tokenIn({ text }: Response): string {
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

async function post(page: string, form: string, fields: Record<string, string>): Promise<Response> {
  const csrf = tokenIn(await browser.get(page));
  return browser
    .post(`${page}/${form}`)
    .type('form')
    .send({ csrf, ...fields });
}

const signIn = (login: string, password: string) => post(LOGIN, 'login', { login, password });

describe('sign-in page', () => {
  it('asks for login and password under names that outside tools rely on', async () => {
    const { text, headers } = await browser.get(LOGIN).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toMatch(/<input id="login" name="login"[^>]* autocomplete="username"/);
    expect(text).toMatch(/<input id="password" name="password" type="password" autocomplete="current-password"/);
    expect(text).toContain('id="sign-in" type="submit"');
    expect(text).toContain('<strong>Portail patient</strong>');
  });

  it('has the login hint, or the address of who is signed in, filled in', async () => {
    stage.requests.set('aaa', waitingRequest('aaa', { loginHint: 'a"b@cabinet.example' }));
    expect((await browser.get(LOGIN)).text).toContain('value="a&quot;b@cabinet.example"');
    stage.requests.set('aaa', waitingRequest('aaa', { account: PERSON }));
    const again = await browser.get(LOGIN);
    expect(again.text).toContain(`value="${PERSON.email}"`);
    expect(again.text).toContain('confirmez votre identité');
  });

  it('SEC-29 the right password leads on with a 303', async () => {
    const answer = await signIn(` ${PERSON.email} `, PASSWORD);
    expect(answer.status).toBe(303);
    expect(stage.told).toEqual(['signed in account-1']);
    expect(stage.tried).toEqual([PERSON.email]);
  });

  it('SEC-39 a wrong password and an unknown account get the same answer, the login kept', async () => {
    const normal = (answer: Response, login: string) =>
      answer.text.replaceAll(login, '').replaceAll(tokenIn(answer), '');
    const wrong = await signIn(PERSON.email, 'not the password');
    const unknown = await signIn('nobody@cabinet.example', PASSWORD);
    expect(wrong.status).toBe(422);
    expect(unknown.status).toBe(422);
    expect(wrong.text).toContain(`value="${PERSON.email}"`);
    expect(normal(unknown, 'nobody@cabinet.example')).toBe(normal(wrong, PERSON.email));
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers));
    expect(stage.tried).toHaveLength(2);
  });

  it('SEC-39 after three failures an account has to wait, even with the right password; another has not', async () => {
    for (let failure = 0; failure < 3; failure += 1) await signIn(PERSON.email, 'wrong');
    const waiting = await signIn(PERSON.email.toUpperCase(), PASSWORD);
    expect(waiting.status).toBe(429);
    expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(890);
    expect(waiting.text).toContain('réessayer dans 15\u00a0minutes');
    expect(stage.tried).toHaveLength(3);
    expect((await signIn('other@cabinet.example', 'wrong')).status).toBe(422);
  });

  it('SEC-39 a success forgets the failures before it', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let failure = 0; failure < 2; failure += 1) await signIn(PERSON.email, 'wrong');
      expect((await signIn(PERSON.email, PASSWORD)).status).toBe(303);
    }
  });

  it('SEC-42 a forged X-Forwarded-For does not make another address', async () => {
    const csrf = tokenIn(await browser.get(LOGIN));
    const statuses: number[] = [];
    for (let guess = 0; guess < 9; guess += 1) {
      const { status } = await browser
        .post(`${LOGIN}/login`)
        .set('x-forwarded-for', `192.0.2.${guess}`)
        .type('form')
        .send({ csrf, login: `person-${guess}@cabinet.example`, password: 'wrong' });
      statuses.push(status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 422, 422, 429]);
  });

  it('says what is missing, at the field it is missing in', async () => {
    const answer = await signIn('', '');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('aria-invalid="true" aria-describedby="login-problem" autofocus');
    expect(answer.text).toContain('aria-invalid="true" aria-describedby="password-problem"');
    expect(answer.text).toContain('<a href="#password">Saisissez votre mot de passe.</a>');
    expect(stage.tried).toEqual([]);
  });

  it('SEC-17 the password never comes back', async () => {
    expect((await signIn(PERSON.email, 'a-very-particular-guess')).text).not.toContain('a-very-particular-guess');
  });

  it('the address of an answered form, opened again, leads back to the page', async () => {
    await browser.get(`${LOGIN}/login`).expect(303).expect('location', LOGIN);
  });
});

describe('SEC-32 forms from elsewhere', () => {
  it('a wrong or missing token: 403, the login kept, a fresh form to send', async () => {
    await browser.get(LOGIN);
    for (const csrf of ['', 'x'.repeat(32), undefined]) {
      const fields = { login: PERSON.email, password: PASSWORD, ...(csrf !== undefined && { csrf }) };
      const answer = await browser.post(`${LOGIN}/login`).type('form').send(fields).expect(403);
      expect(answer.text).toContain(`value="${PERSON.email}"`);
      expect(tokenIn(answer)).toHaveLength(32);
    }
    expect(stage.tried).toEqual([]);
  });

  it('the token of another browser is worth nothing', async () => {
    const csrf = tokenIn(await request(stage.app).get(LOGIN));
    await browser.get(LOGIN);
    await browser
      .post(`${LOGIN}/login`)
      .type('form')
      .send({ csrf, login: PERSON.email, password: PASSWORD })
      .expect(403);
    expect(stage.tried).toEqual([]);
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'http://localhost.evil.example' }],
  ])('%j is refused, with a way to go on', async (headers) => {
    const csrf = tokenIn(await browser.get(LOGIN));
    const answer = await browser
      .post(`${LOGIN}/login`)
      .set(headers)
      .type('form')
      .send({ csrf, login: PERSON.email, password: PASSWORD });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(`<a class="button" href="${LOGIN}">`);
    expect(stage.tried).toEqual([]);
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }],
    [{ origin: 'http://localhost' }],
    [{ origin: 'null' }],
  ])('%j is a page of ours', async (headers) => {
    const csrf = tokenIn(await browser.get(LOGIN));
    const fields = { csrf, login: PERSON.email, password: PASSWORD };
    await browser.post(`${LOGIN}/login`).set(headers).type('form').send(fields).expect(303);
  });

  it.each(['consent', 'other-account'])('%s needs the token as well', async (form) => {
    await browser.get(CONSENT);
    const answer = await browser.post(`${CONSENT}/${form}`).type('form').send({ choice: 'allow', csrf: 'wrong' });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('id="allow"');
    expect(stage.told).toEqual([]);
  });
});

describe('SEC-33 session', () => {
  it('changes its id at the sign-in; the old one is worth nothing', async () => {
    const before = await browser.get(LOGIN);
    const old = String(before.headers['set-cookie']).split(';')[0] ?? '';
    expect(String(before.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/);
    const csrf = tokenIn(before);
    const after = await browser
      .post(`${LOGIN}/login`)
      .type('form')
      .send({ csrf, login: PERSON.email, password: PASSWORD });
    const renewed = String(after.headers['set-cookie']).split(';')[0] ?? '';
    expect(renewed).toMatch(/^hygie_pages=/);
    expect(renewed).not.toBe(old);
    await request(stage.app)
      .post(`${LOGIN}/login`)
      .set('cookie', old)
      .type('form')
      .send({ csrf, login: PERSON.email, password: PASSWORD })
      .expect(403);
  });
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
    stage.requests.set('ccc', waitingRequest('aaa'));
    await browser.get('/interaction/ccc').expect(400);
  });
});

describe('SEC-36 consent', () => {
  it('shows client, person and scopes in words', async () => {
    const { text } = await browser.get(CONSENT).expect(200);
    expect(text).toContain('<h1>Autoriser Portail patient\u00a0?</h1>');
    expect(text).toContain(PERSON.name);
    expect(text).toContain('<li>Votre nom et votre photo</li>');
    expect(text).toContain('<li>Rechercher des professionnels de santé dans l’annuaire</li>');
    expect(text).not.toContain('PRACTITIONER_READ');
    expect(text).toContain('portail.example');
  });

  it('names a scope that it has no words for', async () => {
    stage.requests.set('bbb', waitingRequest('bbb', { prompt: 'consent', scopes: ['constructor', '<b>'] }));
    const { text } = await browser.get(CONSENT);
    expect(text).toContain('«\u00a0constructor\u00a0»');
    expect(text).toContain('«\u00a0&lt;b&gt;\u00a0»');
  });

  it.each([
    ['consent', { choice: 'allow' }, 'allowed'],
    ['consent', { choice: 'refuse' }, 'refused'],
    ['other-account', {}, 'other account'],
  ])('%s %j', async (form, fields, told) => {
    const answer = await post(CONSENT, form, fields as Record<string, string>);
    expect(answer.status).toBe(303);
    expect(stage.told).toEqual([told]);
  });

  it('nothing but a choice is a choice', async () => {
    expect((await post(CONSENT, 'consent', { choice: 'perhaps' })).status).toBe(400);
    expect(stage.told).toEqual([]);
  });

  it('cannot be given in place of a sign-in, nor the other way round', async () => {
    expect((await post(LOGIN, 'consent', { choice: 'allow' })).headers['location']).toBe(LOGIN);
    expect((await post(CONSENT, 'login', { login: PERSON.email, password: PASSWORD })).headers['location']).toBe(
      CONSENT,
    );
    expect(stage.told).toEqual([]);
  });
});

describe('SEC-43, SEC-44 hostile forms', () => {
  const hostile: [string, string, string | Buffer, number][] = [
    ['a repeated field', 'application/x-www-form-urlencoded', 'csrf=a&login=a&login=b&password=c', 400],
    ['JSON', 'application/json', '{"login":"a"}', 415],
    ['plain text', 'text/plain', 'login=a', 415],
    ['another encoding', 'application/x-www-form-urlencoded; charset=utf-7', 'login=a', 415],
    ['too much', 'application/x-www-form-urlencoded', `password=${'x'.repeat(9000)}`, 413],
    ['too many fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(40), 413],
    ['NUL', 'application/x-www-form-urlencoded', 'login=a%00b&password=c', 400],
    ['line breaks', 'application/x-www-form-urlencoded', 'login=a%0d%0aset-cookie:x=y&password=c', 400],
    ['bad UTF-8', 'application/x-www-form-urlencoded', Buffer.from('login=%ff%fe&password=\xff', 'latin1'), 403],
    ['inherited names', 'application/x-www-form-urlencoded', '__proto__=a&constructor=b&toString=c', 403],
  ];

  it.each(hostile)('%s', async (_name, type, body, status) => {
    await browser.get(LOGIN);
    const answer = await browser
      .post(`${LOGIN}/login`)
      .set('content-type', type)
      .serialize((raw) => raw)
      .send(body);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(String(answer.headers['set-cookie'])).not.toContain('x=y');
    expect(stage.tried).toEqual([]);
  });

  it.each(['/interaction/%00', '/interaction/%ff', '/interaction/..%2f..%2fetc', '/interaction/a/b/c', '/interaction'])(
    '%s is a page of ours, with 4xx',
    async (path) => {
      const answer = await browser.get(path);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    },
  );
});

describe('SEC-31 policy of the pages', () => {
  it.each([LOGIN, CONSENT])('%s lets its forms lead to the callback, and is never stored', async (page) => {
    const { headers, text } = await browser.get(page);
    expect(headers['content-security-policy']).toContain("form-action 'self' https://portail.example;");
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/i);
  });
});

describe('language', () => {
  it('follows ui_locales, then the browser, then French', async () => {
    expect((await browser.get(LOGIN)).text).toContain('<html lang="fr">');
    expect((await browser.get(LOGIN).set('accept-language', 'en-GB')).text).toContain('<html lang="en">');
    stage.requests.set('aaa', waitingRequest('aaa', { uiLocales: 'en' }));
    expect((await browser.get(LOGIN).set('accept-language', 'fr')).text).toContain('<html lang="en">');
  });

  it('is switched by a link, and kept to the end of the sign-in', async () => {
    expect((await browser.get(LOGIN)).text).toContain(`<a href="${LOGIN}?lang=en" hreflang="en" lang="en">English</a>`);
    expect((await browser.get(`${LOGIN}?lang=en`)).text).toContain('<h1>Sign in</h1>');
    expect((await signIn(PERSON.email, 'wrong')).text).toContain('We could not sign you in');
    expect((await browser.get(CONSENT)).text).toContain('<h1>Allow Portail patient?</h1>');
  });

  it('chosen on a page of the provider is kept as well', async () => {
    expect((await browser.get('/logout?lang=en')).text).toContain('<h1>Sign out?</h1>');
    expect((await browser.get('/logout/success')).text).toContain('<h1>You are signed out</h1>');
  });
});

describe('pages that the provider asks for', () => {
  it('SEC-37 the sign-out is asked about, and may lead to the client only', async () => {
    const { headers, text } = await browser.get('/logout').expect(200);
    expect(text).toContain('<button id="sign-out" type="submit" form="op.logoutForm" name="logout" value="yes">');
    expect(text).toContain('<button class="quiet" id="stay" type="submit" form="op.logoutForm">');
    expect(headers['content-security-policy']).toContain("form-action 'self' https://portail.example;");
  });

  it('without a client, staying signed in sends nothing', async () => {
    expect((await browser.get('/logout/alone')).text).toContain('<a class="button quiet" id="stay" href="/">');
  });

  it.each([
    ['invalid_redirect_uri', 'Adresse de retour refusée'],
    ['invalid_client', 'Cette application n’est pas reconnue'],
    ['access_denied', 'Accès refusé'],
    ['server_error', 'Le service rencontre un problème'],
    ['invalid_scope', 'Cette demande de connexion est incorrecte'],
    ['__proto__', 'Cette demande de connexion est incorrecte'],
  ])('the error %s is said in words', async (error, title) => {
    const { text } = await browser.get('/authorize').query({ error, description: 'what <b> the integrator needs' });
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain(`<dd>${error}</dd>`);
    expect(text).toContain('<dd lang="en">what &lt;b&gt; the integrator needs</dd>');
    expect(text).toContain('<dd>Zk3vQ1xTb9aL</dd>');
  });

  it.each(['authorization request has expired', 'interaction session not found', 'xsrf token invalid'])(
    'an end that comes too late (%s) is no fault of the application',
    async (description) => {
      const { text } = await browser.get('/authorize').query({ error: 'invalid_request', description });
      expect(text).toContain('<h1>Cette page a expiré</h1>');
    },
  );
});
