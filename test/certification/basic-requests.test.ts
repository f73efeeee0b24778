// The modules of `oidcc-basic-certification-test-plan` about parameters of the authorization request, one test each, named
// after the module. The other half of the plan: `basic.test.ts`.

import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { checkErrorResponse } from '#support/certification/conditions.ts';
import {
  CALLBACK,
  createRun,
  discovery,
  FIRST,
  later,
  type Parameters,
  randomValue,
  withCertified,
} from '#support/certification/suite.ts';
import { createPerson } from '#support/person.ts';

describe('certification: requests', () => {
  const on = withCertified();

  /** Runs a flow and returns its login page and the result. */
  async function flowFromLogin(parameters: Parameters) {
    const run = createRun(on.service);
    const request = run.request(parameters);
    const page = await run.person.visit(request);
    expect(page.html).toContain('name="login"');
    expect(page.html).toContain('name="password"');
    return { page, ...(await run.exchange(request, await run.answer(page, request))) };
  }

  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  /** An unsigned request object (OpenID Connect Core section 6.1) that holds the request. */
  const requestObject = (request: URL) =>
    `${encoded({ alg: 'none' })}.${encoded(Object.fromEntries(request.searchParams))}.`;

  /** Sends a request object as the suite does: beside it stands only what OAuth 2.0 requires. */
  function besideObject(more: Record<string, string>): URL {
    const outside = { client_id: FIRST, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK, ...more };
    return new URL(`${on.service.issuer}/authorize?${new URLSearchParams(outside)}`);
  }

  describe('oidcc-basic-certification-test-plan', () => {
    it.each(['page', 'popup'])('oidcc-display-%s', async (display) => {
      await flowFromLogin({ display });
    });

    it('oidcc-prompt-login', async () => {
      const run = createRun(on.service);
      // The module compares auth_time where it is there: it is asked for here.
      const claims = JSON.stringify({ id_token: { auth_time: { essential: true } } });
      const first = await run.flow({ claims });
      later(1);
      const request = run.request({ prompt: 'login', claims });
      const page = await run.person.visit(request);
      expect(page.html).toContain('id="sign-in"');
      const second = await run.exchange(request, await run.answer(page, request));
      expect(second.claims['sub']).toBe(first.claims['sub']);
      expect(first.claims['auth_time']).toEqual(expect.any(Number));
      expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']));
    });

    it('oidcc-prompt-none-not-logged-in', async () => {
      const request = on.signedIn.request({ prompt: 'none', state: randomValue(128) });
      const { left } = await createPerson(on.service.issuer).visit(request);
      const error = checkErrorResponse(on.service.issuer, request, left);
      expect(['login_required', 'interaction_required']).toContain(error);
    });

    it('oidcc-prompt-none-logged-in', async () => {
      const first = await on.signedIn.flow();
      const request = on.signedIn.request({ prompt: 'none' });
      const { left } = await on.signedIn.person.visit(request);
      const second = await on.signedIn.exchange(request, left ?? request);
      expect(second.claims['sub']).toBe(first.claims['sub']);
      expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
    });

    it('oidcc-max-age-1', async () => {
      const run = createRun(on.service);
      const first = await run.flow();
      later(2);
      const request = run.request({ max_age: '1' });
      const page = await run.person.visit(request);
      expect(page.html).toContain('id="sign-in"');
      const answered = Math.floor(Date.now() / 1000);
      const second = await run.exchange(request, await run.answer(page, request));
      expect(second.claims['auth_time']).toEqual(expect.any(Number));
      expect(Number(second.claims['auth_time'])).toBeGreaterThanOrEqual(answered);
      expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time'] ?? 0));
    });

    it('oidcc-max-age-10000', async () => {
      const first = await on.signedIn.flow({ max_age: '15000' });
      expect(first.claims['auth_time']).toEqual(expect.any(Number));
      const request = on.signedIn.request({ max_age: '10000' });
      const { left } = await on.signedIn.person.visit(request);
      const second = await on.signedIn.exchange(request, left ?? request);
      expect(second.claims).toMatchObject({ sub: first.claims['sub'], auth_time: first.claims['auth_time'] });
    });

    it('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
      await on.signedIn.flow({ extra: 'foobar' });
    });

    it('oidcc-id-token-hint', async () => {
      const first = await on.signedIn.flow();
      const request = on.signedIn.request({ prompt: 'none', id_token_hint: first.tokens.id_token });
      const { left } = await on.signedIn.person.visit(request);
      const second = await on.signedIn.exchange(request, left ?? request);
      expect(second.claims['sub']).toBe(first.claims['sub']);
      expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
    });

    it('oidcc-login-hint', async () => {
      const { page } = await flowFromLogin({ login_hint: `buffy@${new URL(on.service.issuer).hostname}` });
      expect(page.html).toMatch(/name="login"[^>]* value="buffy@127\.0\.0\.1"/);
    });

    it('oidcc-ui-locales', async () => {
      await flowFromLogin({ ui_locales: 'se' });
      const { page } = await flowFromLogin({ ui_locales: 'se en' });
      expect(page.html).toContain('<html lang="en">');
    });

    it('oidcc-claims-locales', async () => {
      await on.signedIn.flow({ claims_locales: 'se' });
    });

    it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
      const { acr_values_supported } = (await discovery(on.service)) as { acr_values_supported: string[] };
      const { claims } = await createRun(on.service).flow({ acr_values: acr_values_supported.join(' ') });
      expect(acr_values_supported).toContain(claims['acr']);
    });

    it('oidcc-ensure-post-request-succeeds', async () => {
      const run = createRun(on.service);
      const request = run.request();
      const body = request.searchParams;
      const page = await run.person.visit(`${on.service.issuer}/authorize`, { method: 'POST', body });
      await run.exchange(request, await run.answer(page, request));
    });

    it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: not applicable to static clients, and refused', async () => {
      const request_uri = `https://suite.example/test/a/hygie/requesturi/${randomValue(64)}#${randomValue(43)}`;
      const { left } = await on.signedIn.person.visit(besideObject({ request_uri }));
      expect(left?.searchParams.get('error')).toBe('request_uri_not_supported');
      expect((await discovery(on.service))['request_uri_parameter_supported']).toBe(false);
    });

    it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: passed over without alg none, and refused', async () => {
      const request = requestObject(on.signedIn.request());
      const { left } = await on.signedIn.person.visit(besideObject({ request }));
      expect(left?.searchParams.get('error')).toBe('invalid_request_object');
      expect((await discovery(on.service))['request_object_signing_alg_values_supported']).not.toContain('none');
    });

    it('oidcc-ensure-request-object-with-redirect-uri', async () => {
      const request = requestObject(on.signedIn.request());
      const sent = besideObject({ request, redirect_uri: `${CALLBACK}_invalid` });
      const page = await on.signedIn.person.visit(sent);
      expect(page.left).toBeUndefined();
      expect(page.status).toBe(400);
      expect(page.html).toContain('invalid_redirect_uri');
    });

    it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
      const code_verifier = randomBytes(32).toString('base64url');
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
      const challenge = { code_challenge, code_challenge_method: 'S256' };
      await on.signedIn.flow(challenge, { fields: { code_verifier } });
    });
  });
});
