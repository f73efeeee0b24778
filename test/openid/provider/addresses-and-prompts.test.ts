// Specification 4 and 9: which addresses the provider knows, how an error reaches a client, and who is asked for what.

import { describe, expect, it } from '@jest/globals';
import { errorResponse, isSigned } from '#openid/provider/authorization-response.ts';
import { refuseUnknown } from '#openid/provider/middleware.ts';
import { subjectMismatch } from '#openid/provider/prompts/prompts.ts';

describe('addresses of the provider', () => {
  /** The answer at a path, to which the library answers by `passed`, if it is asked. */
  async function answer(path: string, { accepts = 'json', passed = 404, body = undefined as unknown } = {}) {
    const headers: Record<string, string> = {};
    let asked = false;
    const ctx: Record<string, unknown> = {
      path,
      status: 404,
      body,
      accepts: () => accepts,
      set: (name: string, value: string) => Object.assign(headers, { [name]: value }),
    };
    await refuseUnknown('https://c.example', () => 'the page')(ctx as never, async () => {
      asked = true;
      ctx['status'] = passed;
    });
    return { asked, status: ctx['status'], body: ctx['body'], ...headers };
  }

  it.each<[path: string, allowed: string]>([
    ['/authorize', 'GET, POST'],
    ['/oauth/token', 'POST'],
    ['/userinfo', 'GET, POST'],
    ['/.well-known/jwks.json', 'GET'],
    ['/.well-known/openid-configuration', 'GET'],
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/logout', 'GET, POST'],
    ['/oauth/revoke', 'POST'],
    ['/oauth/introspect', 'POST'],
    ['/oauth/par', 'POST'],
  ])('%s takes %s', async (path, allow) => {
    expect(await answer(path)).toEqual({
      asked: true,
      status: 405,
      allow,
      body: { error: 'invalid_request', error_description: `${path} takes ${allow.replace(', ', ' or ')} only` },
    });
    expect(await answer(path, { passed: 200 })).toEqual({ asked: true, status: 200, body: undefined });
  });
});

it('an error at the callback has the reason of the library where it may be shown', () => {
  const ctx = { oidc: { params: { state: 's' }, provider: { issuer: 'https://c.example' } } } as never;
  const refusal = { error: 'invalid_scope', error_description: 'why', scope: 'x' };
  const at = (more: object) => errorResponse(ctx, { ...refusal, ...more } as never);
  const where = { state: 's', iss: 'https://c.example' };
  expect([at({ expose: true }), at({})]).toEqual([
    { ...refusal, ...where },
    { error: 'server_error', ...where },
  ]);
  const modes = ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt', 'form_post', 'x.jwt', 'jwtx', undefined];
  expect(modes.map(isSigned)).toEqual([true, true, true, true, false, false, false, false]);
});

it('another person is named by a hint, or by the claims', () => {
  const hint = (sub: string) => `x.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.y`;
  const named = (params: object) => subjectMismatch(params as never, 'person');
  const claims = (sub: unknown) => ({ claims: JSON.stringify({ id_token: { sub } }) });
  expect([
    ...[named({}), named({ id_token_hint: hint('person') }), named({ id_token_hint: hint('other') })],
    ...[named(claims({ value: 'person' })), named(claims({ value: 'other' })), named(claims(null))],
    ...[named(claims({ essential: true })), named({ claims: '{"id_token":null}' })],
  ]).toEqual([undefined, undefined, 'id_token_hint', undefined, 'claims', undefined, undefined, undefined]);
});
