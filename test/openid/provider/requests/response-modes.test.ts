// SEC-06: the response_mode of an authorization response is limited per client (OAuth 2.0 Multiple Response Types, section 2.1).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { CALLBACK, type RunningService, startService } from '#support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

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
