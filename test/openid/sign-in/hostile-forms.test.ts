// Forms from other sites, repeated and broken ones.

import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { PASSWORD, PERSON, waitingRequest } from '#support/openid/sign-in/sign-in-app.ts';
import { CHOICE, CONSENT, createVisitor, LOGIN, tokenIn, type Visitor } from '#support/openid/sign-in/visitor.ts';

describe('hostile forms', () => {
  let signInApp: Visitor['signInApp'];
  let browser: Visitor['browser'];

  beforeEach(() => {
    ({ signInApp, browser } = createVisitor());
  });

  describe('SEC-32 forms from elsewhere', () => {
    it('a wrong or missing token: 403, the login kept, a fresh form to send', async () => {
      await browser.get(LOGIN);
      for (const csrf of ['', 'x'.repeat(32), undefined]) {
        const fields = { login: PERSON.email, password: PASSWORD, ...(csrf !== undefined && { csrf }) };
        const answer = await browser.post(`${LOGIN}/login`).type('form').send(fields).expect(403);
        expect(answer.text).toContain(`value="${PERSON.email}"`);
        expect(tokenIn(answer)).toHaveLength(64);
      }
      expect(signInApp.loginsTried).toEqual([]);
    });

    it('the token of another sign-in is worth nothing', async () => {
      signInApp.requests.set('ccc', waitingRequest('ccc'));
      const csrf = tokenIn(await request(signInApp.app).get('/interaction/ccc'));
      await browser.get(LOGIN);
      await browser
        .post(`${LOGIN}/login`)
        .type('form')
        .send({ csrf, login: PERSON.email, password: PASSWORD })
        .expect(403);
      expect(signInApp.loginsTried).toEqual([]);
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
      expect(answer.text).toContain(`<a class="button" id="again" href="${LOGIN}">`);
      expect(signInApp.loginsTried).toEqual([]);
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
      expect(signInApp.outcomes).toEqual([]);
    });
  });

  it.each(['same-account', 'other-account', 'cancel'])(
    'SEC-32 the choice of an account %s needs the token as well',
    async (form) => {
      await browser.get(CHOICE);
      const answer = await browser.post(`${CHOICE}/${form}`).type('form').send({ csrf: 'wrong' });
      expect([answer.status, answer.text.includes('id="continue"')]).toEqual([403, true]);
      expect(signInApp.outcomes).toEqual([]);
    },
  );

  describe('SEC-43, SEC-44 hostile forms', () => {
    const hostile: [string, string, string | Buffer, number][] = [
      ['a repeated field', 'application/x-www-form-urlencoded', 'csrf=a&login=a&login=b&password=c', 400],
      ['JSON', 'application/json', '{"login":"a"}', 415],
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
      expect(signInApp.loginsTried).toEqual([]);
    });

    it.each([
      '/interaction/%00',
      '/interaction/%ff',
      '/interaction/..%2f..%2fetc',
      '/interaction/a/b/c',
      '/interaction',
    ])('%s is a page of ours, with 4xx', async (path) => {
      const answer = await browser.get(path);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    });
  });
});
