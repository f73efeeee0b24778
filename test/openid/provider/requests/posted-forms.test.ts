// The ways in which requests arrive and their answers leave: by POST, pushed before, by response_mode, at one spelling of each endpoint.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Adapter, type AdapterPayload, type Provider as LibraryProvider, Provider } from 'oidc-provider';
import {
  createPushedRequestLimits,
  MOST_PUSHED,
  PUSHED_REQUEST_RULES,
} from '#openid/provider/requests/pushed-requests.ts';
import { ROUTES } from '#openid/routes.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { CALLBACK, SIGNED_OUT } from '#support/service.ts';

describe('posted authorization requests', () => {
  withService();

  // OpenID Connect Core section 3.1.2.1 and RP-Initiated Logout section 2: /authorize and /logout take POST as they take GET.
  const posted = (body: BodyInit, path = '/authorize', headers: Record<string, string> = {}) =>
    fetch(service.issuer + path, { method: 'POST', body, headers, redirect: 'manual' });

  describe('a posted authorization request', () => {
    it('goes on in the session of the person, without a further sign-in', async () => {
      const { person } = await signIn(service);
      const body = authorizationUrl(service).searchParams;
      const visit = await person.visit(`${service.issuer}/authorize`, { method: 'POST', body });
      expect(visit.left?.href.startsWith(`${CALLBACK}?code=`)).toBe(true);
    });

    it('SEC-29 leads on with 303, to the same address', async () => {
      const answer = await posted(new URLSearchParams({ state: 'a b', client_id: 'x' }));
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '?state=a+b&client_id=x']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('SEC-43 keeps repeated parameters, which are then refused', async () => {
      const { searchParams } = authorizationUrl(service);
      searchParams.append('state', 'another');
      const page = await createPerson(service.issuer).visit(`${service.issuer}/authorize`, {
        method: 'POST',
        body: searchParams,
      });
      expect(page.left?.searchParams.has('code') ?? false).toBe(false);
      expect([page.left?.searchParams.get('error') ?? page.status]).toEqual([expect.anything()]);
    });

    it('SEC-44 line breaks in a field do not split the header', async () => {
      const answer = await posted('state=a%0d%0aset-cookie:%20evil=1&x=%00%ff', '/authorize', {
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('location')).toMatch(/^\?state=a%0D%0Aset-cookie/);
    });

    it.each([
      ['another type of content', 415, '{"client_id":"x"}', 'application/json'],
      ['another encoding', 415, 'state=a', 'application/x-www-form-urlencoded; charset=utf-7'],
      ['a form that is too long', 413, `state=${'x'.repeat(9000)}`, 'application/x-www-form-urlencoded'],
    ])('SEC-44 %s is refused with %s', async (_what, status, body, type) => {
      const answer = await posted(body, '/authorize', { 'content-type': type, accept: 'text/html' });
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain('<h1>');
    });
  });

  it('a posted sign-out ends the session of its hint, and returns to the client', async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person });
    const body = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: SIGNED_OUT,
      state: 'posted',
    });
    const { left } = await person.visit(`${service.issuer}/logout`, { method: 'POST', body });
    expect(left?.href).toBe(`${SIGNED_OUT}?state=posted`);
  });

  // SEC-06: the response_mode of an authorization response is limited per client (OAuth 2.0 Multiple Response Types, section 2.1).
  const NATIVE = 'com.example.app:/callback';
  const PKCE = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };

  /** The response at the end of a sign-in, in whatever way it is sent. */
  async function responseOf(client: string, response_mode: string | undefined): Promise<URLSearchParams> {
    const person = createPerson(service.issuer);
    const redirect_uri = client === 'native' ? NATIVE : CALLBACK;
    const parameters = { client_id: client, redirect_uri, response_mode, ...(client !== 'server' && PKCE) };
    let page: Visit = await person.visit(authorizationUrl(service, parameters));
    if (page.html.includes('id="sign-in"')) page = await person.press(page, 'sign-in', CREDENTIALS);
    if (page.html.includes('id="allow"')) page = await person.press(page, 'allow');
    if (page.left) return new URLSearchParams(page.left.search || page.left.hash.slice(1));
    const inputs = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    return new URLSearchParams(inputs.map(([, name = '', value = '']): [string, string] => [name, value]));
  }

  describe('SEC-06 response_mode is limited per client', () => {
    it.each([
      ['server', undefined],
      ['server', 'query'],
      ['server', 'form_post'],
      ['browser', 'query'],
      ['browser', 'fragment'],
      ['native', 'query'],
    ])('a %s client may use %s', async (client, mode) => {
      expect((await responseOf(client, mode)).get('code')).toMatch(/^[\w-]{22,}$/);
    });

    it.each([
      ['server', 'fragment', 'query or form_post, or jwt, query.jwt, form_post.jwt for a signed response'],
      ['browser', 'form_post', 'query or fragment, or jwt'],
      ['native', 'form_post', 'query'],
      ['native', 'fragment', 'query'],
      ['server', 'web_message', undefined],
      ['native', 'form_post.jwt', 'query, or jwt, query.jwt for'],
    ])('a %s client is refused %s, and gets no code', async (client, mode, allowed) => {
      const person = createPerson(service.issuer);
      const redirect_uri = client === 'native' ? NATIVE : CALLBACK;
      const parameters = { client_id: client, redirect_uri, response_mode: mode, ...(client !== 'server' && PKCE) };
      const { left } = await person.visit(authorizationUrl(service, parameters));
      // By the way that is the default, which every client can take.
      expect(left?.searchParams.get('error')).toMatch(/^(invalid_request|unsupported_response_mode)$/);
      expect(left?.searchParams.has('code')).toBe(false);
      const said = left?.searchParams.get('error_description');
      if (allowed) expect(said).toContain(`use ${allowed}`);
    });
  });

  // SEC-58: how many rows pushed requests leave at most.
  it('SEC-58 pushed requests of a public client are limited by network, with a clear error', async () => {
    const { points } = PUSHED_REQUEST_RULES.narrow;
    const form = { client_id: 'browser', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const push = () => {
      const body = new URLSearchParams({ ...form, ...challenge, state: 'x'.repeat(2048) });
      return fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
    };
    const statuses: number[] = [];
    for (let sent = 0; sent < points; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, push));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    const refused = await push();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: 'temporarily_unavailable', error_description: expect.stringContaining('from this network') },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await service.database('oidc_records').where({ model: 'PushedAuthorizationRequest' })).toHaveLength(points);
  });

  describe('SEC-58 rows of pushed requests', () => {
    const rows = new Set<string>();
    const adapter = {
      find: async () => undefined,
      upsert: async (id: string) => void rows.add(id),
      destroy: async (id: string) => void rows.delete(id),
    } as unknown as Adapter;
    const original = Object.getOwnPropertyDescriptor(Provider, 'ctx') as PropertyDescriptor;
    let current: unknown;
    beforeAll(() => {
      Object.defineProperty(Provider, 'ctx', { configurable: true, get: () => current as LibraryProvider });
    });
    afterAll(() => {
      Object.defineProperty(Provider, 'ctx', original);
    });

    const pushAll = async (clientAuthMethod: string, count: number) => {
      rows.clear();
      const limited = createPushedRequestLimits()(adapter);
      for (let index = 0; index < count; index += 1) {
        const ip = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
        const client = { clientAuthMethod, clientId: 'one' };
        current = { oidc: { route: 'pushed_authorization_request', client }, req: { ip }, set: () => undefined };
        await limited.upsert(String(index), {} as AdapterPayload, 60);
      }
    };

    it('of all public clients together: the oldest go first', async () => {
      await pushAll('none', MOST_PUSHED.ofPublicClients + 25);
      expect(rows.size).toBe(MOST_PUSHED.ofPublicClients);
      expect([rows.has('24'), rows.has('25')]).toEqual([false, true]);
    });

    it('of a client that authenticates: as many as it may have of its own', async () => {
      await pushAll('private_key_jwt', MOST_PUSHED.ofClient + 3);
      expect(rows.size).toBe(MOST_PUSHED.ofClient);
      expect([rows.has('2'), rows.has('3')]).toEqual([false, true]);
    });
  });

  // SEC-57: an endpoint has one spelling. At others the library would answer, past the checks that our middleware makes by the path.
  const ENDPOINTS = [...Object.values(ROUTES), '/.well-known/openid-configuration'];

  it.each(ENDPOINTS)(
    'SEC-57 another spelling of an endpoint %s: upper case and a slash at the end are no address',
    async (path) => {
      for (const other of [
        path.toUpperCase(),
        `${path}/`,
        `${path}//`,
        path.replace(/[a-z]$/, (last) => last.toUpperCase()),
      ]) {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const answer = await fetch(service.issuer + other, { method, redirect: 'manual' });
          await answer.body?.cancel();
          expect([method, other, answer.status]).toEqual([method, other, 404]);
        }
      }
    },
  );
});
