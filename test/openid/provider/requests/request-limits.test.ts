// SEC-58, its first half: how long a request of a stranger may be. Each bound to the character: the longest is taken, one more
// is refused, with the parameter, its length and the limit in the answer.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { ALL_SCOPES, CALLBACK, SECRET, SIGNED_OUT } from '#support/service.ts';

describe('request limits', () => {
  withService();
  beforeAll(async () => {
    await signIn(service, { person: signedInPerson(service) });
  });

  const STATE = 's'.repeat(40);
  const REQUEST = { client_id: 'server', redirect_uri: CALLBACK, response_type: 'code', scope: ALL_SCOPES };

  const rows = async () => {
    const [found] = await service.database('oidc_records').count({ count: '*' });
    return Number(found?.['count']);
  };
  const html = { accept: 'text/html', 'accept-language': 'en' };
  const authorize = (parameters: Record<string, string>, path = '/authorize') =>
    fetch(`${service.issuer}${path}?${new URLSearchParams(parameters)}`, { redirect: 'manual', headers: html });
  const push = (parameters: Record<string, string>) =>
    fetch(`${service.issuer}/oauth/par`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`server:${SECRET}`).toString('base64')}` },
      body: new URLSearchParams(parameters),
    });
  /** Of a query or form that has so many bytes in all. */
  const filledUp = (parameters: Record<string, string>, name: string, bytes: number) => {
    const length = new URLSearchParams({ ...parameters, [name]: '' }).toString().length;
    return { ...parameters, [name]: 'x'.repeat(bytes - length) };
  };
  const claims = (length: number) => `{"userinfo":{"${'c'.repeat(length - 22)}":null}}`;

  describe('SEC-58 bounds of an authorization request', () => {
    it.each(['/authorize', '/oauth/par'])(
      'state at %s: 2,048 characters, and a page beyond that, not the callback',
      async (path) => {
        const send = path === '/authorize' ? authorize : push;
        const good = await send({ ...REQUEST, state: 's'.repeat(2048) });
        expect([good.status, (good.headers.get('location') ?? '').includes('error=')]).toEqual([
          path === '/authorize' ? 303 : 201,
          false,
        ]);
        const before = await rows();
        for (const length of [2049, 6000]) {
          const refused = await send({ ...REQUEST, state: 's'.repeat(length) });
          expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
          const text = await refused.text();
          expect(text).toContain(`state has ${length} characters: 2048 at most`);
          expect(text).toContain('invalid_request');
        }
        expect(await rows()).toBe(before);
      },
    );

    it('specification 4.1 a state whose bytes are no UTF-8 could not be returned unchanged: a page says so at once', async () => {
      for (const [state, returned] of [
        ['%E9t%E9', false],
        ['%C3%A9t%C3%A9%20%2B%00', true],
      ] as const) {
        const query = `${new URLSearchParams(REQUEST)}&state=${state}`;
        const address = `${service.issuer}/authorize?${query}&prompt=nonsense`;
        const answer = await fetch(address, { redirect: 'manual', headers: html });
        const back = new URL(answer.headers.get('location') ?? service.issuer).searchParams.get('state');
        expect([answer.status, back]).toEqual(returned ? [303, decodeURIComponent(state)] : [400, null]);
        if (!returned) expect(await answer.text()).toContain('state is not percent-encoded UTF-8');
        const headers = { authorization: `Basic ${btoa(`server:${SECRET}`)}` };
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        const pushed = await fetch(`${service.issuer}/oauth/par`, {
          method: 'POST',
          headers: { ...headers, ...type },
          body: query,
        });
        expect(pushed.status).toBe(returned ? 201 : 400);
      }
    });

    it('an oversized state goes to no callback, whatever else is wrong with the request', async () => {
      for (const more of [
        { prompt: 'nonsense' },
        { scope: 'nonsense' },
        { response_mode: 'form_post', nonce: 'n'.repeat(600) },
      ]) {
        const refused = await authorize({ ...REQUEST, state: 's'.repeat(2049), ...more });
        expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
      }
    });

    it.each([
      ['nonce', 512, 'n'],
      ['login_hint', 512, 'l'],
      ['ui_locales', 256, 'u'],
      ['acr_values', 512, 'a'],
      ['claims', 4096, 'c'],
    ] as const)('%s: %d characters', async (name, most, letter) => {
      const value = (length: number) => (name === 'claims' ? claims(length) : letter.repeat(length));
      const good = await authorize({ ...REQUEST, state: STATE, [name]: value(most) });
      expect([good.status, good.headers.get('location')]).toEqual([303, expect.not.stringContaining('error=')]);
      const before = await rows();
      const refused = await authorize({ ...REQUEST, state: STATE, [name]: value(most + 1) });
      const { origin, pathname, searchParams } = new URL(refused.headers.get('location') ?? '');
      expect(origin + pathname).toBe(CALLBACK);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'invalid_request',
        error_description: `${name} has ${most + 1} characters: ${most} at most`,
        state: STATE,
        iss: service.issuer,
      });
      const pushed = await push({ ...REQUEST, state: STATE, [name]: value(most + 1) });
      expect([pushed.status, await pushed.json()]).toMatchObject([
        400,
        { error: 'invalid_request', error_description: `${name} has ${most + 1} characters: ${most} at most` },
      ]);
      expect(await rows()).toBe(before);
    });

    it('8,192 bytes in all as a query, 414 beyond', async () => {
      const request = { ...REQUEST, state: STATE };
      expect((await authorize(filledUp(request, 'unknown', 8192))).status).toBe(303);
      const before = await rows();
      const refused = await authorize(filledUp(request, 'unknown', 8193));
      expect([refused.status, refused.headers.get('location')]).toEqual([414, null]);
      expect(await refused.text()).toMatch(
        /the request has 8193 bytes: 8192 at most; unknown alone has \d{4} characters/,
      );
      expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await rows()).toBe(before);
    });

    it('as a form, too', async () => {
      const request = { ...REQUEST, state: STATE };
      const post = (parameters: Record<string, string>) =>
        fetch(`${service.issuer}/authorize`, {
          method: 'POST',
          body: new URLSearchParams(parameters),
          redirect: 'manual',
        });
      expect((await post(filledUp(request, 'unknown', 8192))).status).toBe(303);
      const refused = await post(filledUp(request, 'unknown', 8193));
      expect(refused.status).toBe(413);
      expect(await refused.text()).toContain('8192');
    });

    it('and when it is pushed, in whatever pieces it arrives; credentials do not count', async () => {
      const request = { ...REQUEST, state: STATE };
      expect((await push(filledUp(request, 'display', 8193))).status).toBe(413);
      const body = new URLSearchParams({ ...filledUp(request, 'display', 8193) }).toString();
      const chunked = await fetch(`${service.issuer}/oauth/par`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`server:${SECRET}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new Blob([body]).stream(),
        duplex: 'half',
      } as RequestInit);
      expect([chunked.status, await chunked.json()]).toMatchObject([
        413,
        {
          error: 'invalid_request',
          error_description: expect.stringContaining('8193 bytes: 8192 at most; display alone'),
        },
      ]);
      expect((await push(filledUp(request, 'display', 8192))).status).toBe(201);
    });

    it('/logout: the same bounds, and nothing stored beyond them', async () => {
      const request = { client_id: 'server', post_logout_redirect_uri: SIGNED_OUT };
      expect((await authorize({ ...request, state: 's'.repeat(2048) }, '/logout')).status).toBeLessThan(400);
      const before = await rows();
      const refused = await authorize({ ...request, state: 's'.repeat(2049) }, '/logout');
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('state has 2049 characters: 2048 at most');
      expect((await authorize(filledUp(request, 'id_token_hint', 8193), '/logout')).status).toBe(414);
      expect(await rows()).toBe(before);
    });

    it.each(['/AUTHORIZE', '/authorize/', '/%61uthorize', '//authorize'])('%s is no way around them', async (path) => {
      const before = await rows();
      expect((await authorize({ ...REQUEST, state: 's'.repeat(2049) }, path)).status).toBeGreaterThanOrEqual(400);
      expect(
        (await authorize(filledUp({ ...REQUEST, state: STATE }, 'unknown', 9000), path)).status,
      ).toBeGreaterThanOrEqual(400);
      expect(await rows()).toBe(before);
    });
  });

  describe('SEC-44 64 parameters at most, with names or without', () => {
    const form = (count: number) => Array(count).fill('=').join('&');
    const basic = `Basic ${Buffer.from(`server:${SECRET}`).toString('base64')}`;
    const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(service.issuer + path, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        duplex: 'half',
      } as RequestInit);
    const tooMany = /64 parameters at most/;

    it.each([
      '/authorize',
      '/logout',
      '/',
      '/demo',
      '/sign-in/nothing',
      '/account',
      '/userinfo',
      '/directory/v2/Practitioner',
    ])('in a query to %s', async (path) => {
      const get = (count: number) => fetch(`${service.issuer}${path}?${form(count)}`, { redirect: 'manual' });
      const refused = await get(65);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(tooMany)]);
      expect(await (await get(64)).text()).not.toMatch(tooMany);
    });

    it.each([
      '/authorize',
      '/logout',
      '/logout/confirm',
      '/oauth/token',
      '/oauth/par',
      '/oauth/introspect',
      '/oauth/revoke',
      '/userinfo',
    ])('in a form to %s, in one packet or several', async (path) => {
      for (const authorization of [basic, `Basic ${Buffer.from('browser:').toString('base64')}`]) {
        const refused = await post(path, form(65), { authorization });
        expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(tooMany)]);
        expect(await (await post(path, form(64), { authorization })).text()).not.toMatch(tooMany);
        const pieces = await post(path, new Blob([form(65)]).stream(), { authorization });
        expect([pieces.status, await pieces.text()]).toEqual([400, expect.stringMatching(tooMany)]);
      }
    });

    it('in a form that comes slowly, and a shorter one still arrives whole', async () => {
      const slowly = (parts: string[]) =>
        new ReadableStream({
          async pull(stream) {
            await new Promise((resolve) => setImmediate(resolve));
            const part = parts.shift();
            if (part === undefined) stream.close();
            else stream.enqueue(new TextEncoder().encode(part));
          },
        });
      const refused = await post('/oauth/token', slowly(Array(65).fill('=&')), { authorization: basic });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(tooMany)]);
      const known = await post('/oauth/introspect', slowly(['tok', 'en=', 'unknown', '&a=1']), {
        authorization: basic,
      });
      expect([known.status, await known.json()]).toEqual([200, { active: false }]);
    });
  });
});
