// The modules of `oidcc-basic-certification-test-plan` about tokens, userinfo, scopes, codes and clients, one test each,
// named after the module. The other half of the plan: `basic-requests.test.ts`.

import { describe, expect, it } from '@jest/globals';
import {
  checkErrorResponse,
  checkGrantRefused,
  checkRefreshedIdToken,
  checkStrength,
  checkTokenResponse,
  checkUserinfo,
} from '#support/certification/conditions.ts';
import {
  CALLBACK,
  createRun,
  discovery,
  FIRST,
  type Flow,
  later,
  randomValue,
  SECOND,
  token,
  userinfo,
  verified,
  withCertified,
} from '#support/certification/suite.ts';
import { createPerson } from '#support/person.ts';

describe('certification: basic flows', () => {
  const on = withCertified();

  /** What an ID token holds for itself; a claim beside these that no scope has asked for is worth a warning to the suite. */
  const OF_ID_TOKENS = 'iss sub aud exp iat auth_time nonce acr amr azp at_hash c_hash nbf jti sid s_hash'.split(' ');

  /** All claims that the `profile` scope may ask for; the suite warns of each that is absent. */
  const OF_PROFILE =
    'name given_name family_name middle_name nickname profile picture website gender birthdate zoneinfo locale updated_at preferred_username';

  /** A code that was used before is worth nothing. */
  async function expectRefused(code: string): Promise<void> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    await checkGrantRefused(await token(on.service, fields, { clientId: FIRST }));
  }

  /** Refreshes the tokens of a flow a second later, and returns the new refresh token. */
  async function refreshed({ tokens, claims }: Flow, clientId: string, more: { scope?: string } = {}): Promise<string> {
    const { refresh_token = '' } = tokens;
    checkStrength(refresh_token);
    later(1);
    const fields = { grant_type: 'refresh_token', refresh_token, ...more };
    const next = await checkTokenResponse(await token(on.service, fields, { clientId }));
    expect(next.access_token).not.toBe(tokens.access_token);
    const idToken = await verified(on.service, next.id_token);
    checkRefreshedIdToken(idToken.claims, claims);
    await checkUserinfo(await userinfo(on.service, next.access_token), claims);
    return next.refresh_token ?? refresh_token;
  }

  describe('oidcc-basic-certification-test-plan', () => {
    it('oidcc-server: with a warning, because every ID token holds the two claims of the service', async () => {
      expect((await discovery(on.service))['token_endpoint_auth_methods_supported']).toContain('client_secret_basic');
      const { code, claims, userinfo: known } = await createRun(on.service).flow();
      checkStrength(code);
      expect(known['name']).toBeUndefined();
      const { namespace } = on.service.settings;
      const unasked = Object.keys(claims).filter((name) => !OF_ID_TOKENS.includes(name));
      expect(unasked.sort()).toEqual([`${namespace}/applicationName`, `${namespace}/userInfo`]);
    });

    it('oidcc-server-client-secret-post', async () => {
      expect((await discovery(on.service))['token_endpoint_auth_methods_supported']).toContain('client_secret_post');
      await on.signedIn.flow({}, { authentication: 'client_secret_post' });
    });

    it('oidcc-response-type-missing', async () => {
      const request = on.signedIn.request({ response_type: undefined });
      const { left } = await createPerson(on.service.issuer).visit(request);
      const error = checkErrorResponse(on.service.issuer, request, left);
      expect(['invalid_request', 'unsupported_response_type']).toContain(error);
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
      await checkUserinfo(await userinfo(on.service, tokens.access_token), claims);
    });

    it('oidcc-userinfo-post-header', async () => {
      const { tokens, claims } = await on.signedIn.flow();
      await checkUserinfo(await userinfo(on.service, tokens.access_token, 'POST'), claims);
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

    it('oidcc-scope-profile: with a warning, because accounts do not have every claim of the scope', async () => {
      const { userinfo: known } = await on.signedIn.flow({ scope: 'openid profile' });
      const present = OF_PROFILE.split(' ').filter((name) => known[name] !== undefined);
      expect(present.join(' ')).toBe('name given_name family_name nickname picture updated_at preferred_username');
    });

    it('oidcc-scope-email: with a warning, because the ID token holds the address too', async () => {
      const { userinfo: known, claims } = await on.signedIn.flow({ scope: 'openid email' });
      expect(known).toMatchObject({ email: expect.stringContaining('@'), email_verified: expect.any(Boolean) });
      expect([known['name'], claims['name']]).toEqual([undefined, undefined]);
      // The interface wants it there, so that a client need not call userinfo.
      expect(claims['email']).toBe(known['email']);
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

    it('oidcc-alternate-happy-flow: with the warning of oidcc-scope-email', async () => {
      const request = on.signedIn.request({ scope: 'email openid' });
      const reversed = new URL(request);
      reversed.search = new URLSearchParams([...request.searchParams].sort().reverse()).toString();
      expect([...reversed.searchParams.keys()].at(-1)).toBe('client_id');
      const flow = await on.signedIn.exchange(reversed, await on.signedIn.authorize(reversed));
      expect(flow.userinfo).toMatchObject({ email: expect.any(String), email_verified: expect.any(Boolean) });
      expect([flow.userinfo['name'], flow.claims['name']]).toEqual([undefined, undefined]);
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
      expect(flow.userinfo['name']).toEqual(expect.any(String));
      expect(flow.claims['name']).toBeUndefined();
    });

    it('oidcc-refresh-token', async () => {
      expect((await discovery(on.service))['grant_types_supported']).toContain('refresh_token');
      const scope = 'openid offline_access';
      await refreshed(await on.signedIn.flow({ scope, prompt: 'consent' }), FIRST, { scope });

      // The refresh token of the second client is worth nothing to the first.
      const request = { client_id: SECOND, scope, prompt: 'consent', nonce: randomValue(43) };
      const refresh_token = await refreshed(await on.signedIn.flow(request), SECOND);
      const stolen = { grant_type: 'refresh_token', refresh_token, scope };
      await checkGrantRefused(await token(on.service, stolen, { clientId: FIRST }));
      expect((await token(on.service, stolen, { clientId: SECOND })).status).toBe(200);
    });
  });
});
