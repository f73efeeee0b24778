// The modules of `oidcc-basic-certification-test-plan` about tokens, userinfo, scopes, codes and clients, one test each,
// named after the module. The other half of the plan: `basic-requests.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { createPerson } from '../person.ts';
import {
  CALLBACK,
  checkErrorResponse,
  checkUserinfo,
  createRun,
  discovery,
  FIRST,
  later,
  SECOND,
  token,
  userinfo,
  verified,
  withCertified,
} from './suite.ts';

const on = withCertified();

/** A code that was used before is worth nothing. */
async function expectRefused(code: string): Promise<void> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  const again = await token(on.service, fields, { clientId: FIRST });
  expect(again.status).toBe(400);
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
}

describe('oidcc-basic-certification-test-plan', () => {
  it('oidcc-server', async () => {
    expect((await discovery(on.service))['token_endpoint_auth_methods_supported']).toContain('client_secret_basic');
    const { claims, userinfo: known } = await createRun(on.service).flow();
    expect(claims['name']).toBeUndefined();
    expect(known['name']).toBeUndefined();
  });

  it('oidcc-server-client-secret-post', async () => {
    expect((await discovery(on.service))['token_endpoint_auth_methods_supported']).toContain('client_secret_post');
    await on.signedIn.flow({}, { authentication: 'client_secret_post' });
  });

  it('oidcc-response-type-missing', async () => {
    const request = on.signedIn.request({ response_type: undefined });
    const { left } = await createPerson(on.service.issuer).visit(request);
    expect(['invalid_request', 'unsupported_response_type']).toContain(checkErrorResponse(on.service, request, left));
  });

  it('oidcc-idtoken-signature', async () => {
    const { header, tokens } = await on.signedIn.flow();
    expect(header).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
    const [head, payload, signature = ''] = tokens.id_token.split('.');
    const forged = `${head}.${payload}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    await expect(verified(on.service, forged)).rejects.toThrow();
  });

  it('oidcc-idtoken-unsigned: not applicable to static clients, and "none" is not offered', async () => {
    expect((await discovery(on.service))['id_token_signing_alg_values_supported']).not.toContain('none');
  });

  it('oidcc-userinfo-get', async () => {
    const { tokens, claims } = await on.signedIn.flow();
    const answer = await userinfo(on.service, tokens.access_token);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(checkUserinfo((await answer.json()) as never)['sub']).toBe(claims['sub']);
  });

  it('oidcc-userinfo-post-header', async () => {
    const { tokens, claims } = await on.signedIn.flow();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const answer = await userinfo(on.service, tokens.access_token, { method: 'POST', headers });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ sub: claims['sub'] });
  });

  it('oidcc-userinfo-post-body: refused, as the suite permits with a warning', async () => {
    const { tokens } = await on.signedIn.flow();
    const body = new URLSearchParams({ access_token: tokens.access_token });
    const answer = await fetch(`${on.service.issuer}/userinfo`, { method: 'POST', body });
    expect([400, 401]).toContain(answer.status);
  });

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { claims } = await on.signedIn.flow({ nonce: undefined });
    expect(claims['nonce']).toBeUndefined();
  });

  it('oidcc-scope-profile', async () => {
    const { userinfo: known } = await on.signedIn.flow({ scope: 'openid profile' });
    expect(known).toMatchObject({ name: expect.any(String), updated_at: expect.any(Number) });
  });

  it('oidcc-scope-email', async () => {
    const { userinfo: known, claims } = await on.signedIn.flow({ scope: 'openid email' });
    expect(known).toMatchObject({ email: expect.stringContaining('@'), email_verified: expect.any(Boolean) });
    expect([known['name'], claims['name']]).toEqual([undefined, undefined]);
  });

  it.each(['address', 'phone'])(
    'oidcc-scope-%s: skipped by the suite, because discovery does not offer it',
    async (scope) => {
      expect((await discovery(on.service))['scopes_supported']).not.toContain(scope);
      // An unknown scope is ignored all the same (OpenID Connect Core section 3.1.2.1).
      await on.signedIn.flow({ scope: `openid ${scope}` });
    },
  );

  it('oidcc-scope-all: skipped by the suite, because discovery does not offer address and phone', async () => {
    const { userinfo: known } = await on.signedIn.flow({ scope: 'openid address email phone profile' });
    expect(known).toMatchObject({ name: expect.any(String), email: expect.any(String) });
  });

  it('oidcc-alternate-happy-flow', async () => {
    const request = on.signedIn.request({ scope: 'profile email openid' });
    const reversed = new URL(request);
    reversed.search = new URLSearchParams([...request.searchParams].reverse()).toString();
    await on.signedIn.exchange(reversed, await on.signedIn.authorize(reversed));
  });

  it('oidcc-codereuse', async () => {
    const { code } = await on.signedIn.flow();
    await expectRefused(code);
  });

  it('oidcc-codereuse-30seconds', async () => {
    const { code, tokens } = await on.signedIn.flow();
    later(30);
    expect((await userinfo(on.service, tokens.access_token)).status).toBe(200);
    await expectRefused(code);
    expect((await userinfo(on.service, tokens.access_token)).status).toBe(401);
  });

  it('oidcc-ensure-registered-redirect-uri', async () => {
    const request = on.signedIn.request({ redirect_uri: `${CALLBACK}/unregistered` });
    const page = await createPerson(on.service.issuer).visit(request);
    expect(page.left).toBeUndefined();
    expect(page.status).toBe(400);
    expect(page.html).toContain('invalid_redirect_uri');
    expect(page.html).not.toContain('name="password"');
  });

  it('oidcc-claims-essential', async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const flow = await on.signedIn.flow({ claims });
    // The suite only warns when the name is missing; it is there where the `claims` parameter is offered.
    const offered = (await discovery(on.service))['claims_parameter_supported'] === true;
    expect(flow.userinfo['name'] !== undefined).toBe(offered);
    expect(flow.claims['name']).toBeUndefined();
  });

  it('oidcc-refresh-token', async () => {
    const scope = 'openid offline_access';
    const first = await on.signedIn.flow({ scope, prompt: 'consent' });
    expect((await discovery(on.service))['grant_types_supported']).toContain('refresh_token');
    expect(first.tokens.refresh_token).toMatch(/^[\x20-\x7e]+$/);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.tokens.refresh_token ?? '', scope };
    later(1);
    const answer = await token(on.service, refresh, { clientId: FIRST });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const second = (await answer.json()) as typeof first.tokens & { token_type: string };
    expect(second.token_type).toBe('Bearer');
    expect(second.access_token).not.toBe(first.tokens.access_token);
    const { claims } = await verified(on.service, second.id_token);
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'azp']) expect(claims[name]).toEqual(first.claims[name]);
    expect(Number(claims['iat'])).toBeGreaterThan(Number(first.claims['iat']));
    expect((await userinfo(on.service, second.access_token)).status).toBe(200);

    // The refresh token of the second client is worth nothing to the first.
    const other = await on.signedIn.flow({ client_id: SECOND, scope, prompt: 'consent' });
    const stolen = { ...refresh, refresh_token: other.tokens.refresh_token ?? '' };
    const refused = await token(on.service, stolen, { clientId: FIRST });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await refused.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await token(on.service, stolen, { clientId: SECOND })).status).toBe(200);
  });
});
