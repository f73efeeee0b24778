// OpenID Connect Core section 3.1.2.1 and RP-Initiated Logout section 2: /authorize and /logout take POST as they take GET.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, type RunningService, SIGNED_OUT, startService } from '#support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const posted = (body: BodyInit, path = '/authorize', headers: Record<string, string> = {}) =>
  fetch(service.issuer + path, { method: 'POST', body, headers, redirect: 'manual' });

describe('a posted authorization request', () => {
  it('goes on in the session of the person, without a further sign-in', async () => {
    const { person, tokens, configuration } = await signIn(service);
    const body = authorizationUrl(service).searchParams;
    const visit = await person.visit(`${service.issuer}/authorize`, { method: 'POST', body });
    expect(visit.left?.href.startsWith(`${CALLBACK}?code=`)).toBe(true);
    expect([tokens.access_token, configuration.serverMetadata().issuer]).toEqual([expect.any(String), service.issuer]);
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
    ['a form that is too long', 413, `state=${'x'.repeat(9000)}`, 'application/x-www-form-urlencoded'],
  ])('SEC-44 %s is refused with %s', async (_what, status, body, type) => {
    const answer = await posted(body, '/authorize', { 'content-type': type, accept: 'text/html' });
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain('<h1>');
  });
});

describe('a posted sign-out', () => {
  it('ends the session of its hint, and returns to the client', async () => {
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
});

// RFC 9110 section 15.5.6.
describe('a method that an address does not take', () => {
  it.each([
    ['GET', '/oauth/token', 'POST'],
    ['GET', '/oauth/introspect', 'POST'],
    ['PUT', '/oauth/par', 'POST'],
    ['DELETE', '/oauth/revoke', 'POST'],
    ['DELETE', '/userinfo', 'GET, POST'],
    ['PUT', '/authorize', 'GET, POST'],
    ['POST', '/.well-known/jwks.json', 'GET'],
  ])('%s %s is 405, and says which it takes', async (method, path, allow) => {
    const answer = await fetch(`${service.issuer}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });
});
