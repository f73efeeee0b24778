// The modules of `oidcc-basic-certification-test-plan` about parameters of the authorization request, one test each, named
// after the module. The other half of the plan: `basic.test.ts`.

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createPerson } from '../person.ts';
import type { RunningService } from '../service.ts';
import { CALLBACK, checkErrorResponse, createRun, discovery, FIRST, type Parameters, startCertified } from './suite.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startCertified();
});
afterAll(() => service.stop());
afterEach(() => void jest.restoreAllMocks());

function later(seconds: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
}

/** A flow whose login page was seen, and what it looked like. */
async function flowFromLogin(parameters: Parameters) {
  const run = createRun(service);
  const request = run.request(parameters);
  const page = await run.person.visit(request);
  expect(page.html).toContain('name="login"');
  expect(page.html).toContain('name="password"');
  return { page, ...(await run.exchange(request, await run.answer(page, request))) };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An unsigned request object (OpenID Connect Core section 6.1) that holds the request. */
function requestObject(request: URL): string {
  const claims = { ...Object.fromEntries(request.searchParams), iss: FIRST, aud: service.issuer };
  return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
}

describe('oidcc-basic-certification-test-plan', () => {
  let signedIn: ReturnType<typeof createRun>;
  beforeAll(() => {
    signedIn = createRun(service);
  });

  it.each(['page', 'popup'])('oidcc-display-%s', async (display) => {
    await flowFromLogin({ display });
  });

  it('oidcc-prompt-login', async () => {
    const run = createRun(service);
    const first = await run.flow();
    later(1);
    const request = run.request({ prompt: 'login' });
    const page = await run.person.visit(request);
    expect(page.html).toContain('id="sign-in"');
    const second = await run.exchange(request, await run.answer(page, request));
    expect(second.claims['sub']).toBe(first.claims['sub']);
    if (first.claims['auth_time'] !== undefined) {
      expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']));
    }
  });

  it('oidcc-prompt-none-not-logged-in', async () => {
    const request = signedIn.request({ prompt: 'none' });
    const { left } = await createPerson(service.issuer).visit(request);
    expect(['login_required', 'interaction_required']).toContain(checkErrorResponse(service, request, left));
  });

  it('oidcc-prompt-none-logged-in', async () => {
    const first = await signedIn.flow();
    const request = signedIn.request({ prompt: 'none' });
    const { left } = await signedIn.person.visit(request);
    const second = await signedIn.exchange(request, left ?? request);
    expect(second.claims['sub']).toBe(first.claims['sub']);
    expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
  });

  it('oidcc-max-age-1', async () => {
    const run = createRun(service);
    const first = await run.flow();
    later(2);
    const request = run.request({ max_age: '1' });
    const page = await run.person.visit(request);
    expect(page.html).toContain('id="sign-in"');
    const second = await run.exchange(request, await run.answer(page, request));
    expect(second.claims['auth_time']).toEqual(expect.any(Number));
    expect(Math.floor(Date.now() / 1000) - Number(second.claims['auth_time'])).toBeLessThan(5);
    expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time'] ?? 0));
  });

  it('oidcc-max-age-10000', async () => {
    const first = await signedIn.flow({ max_age: '15000' });
    expect(first.claims['auth_time']).toEqual(expect.any(Number));
    const request = signedIn.request({ max_age: '10000' });
    const { left } = await signedIn.person.visit(request);
    const second = await signedIn.exchange(request, left ?? request);
    expect(second.claims).toMatchObject({ sub: first.claims['sub'], auth_time: first.claims['auth_time'] });
  });

  it('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
    await signedIn.flow({ extra: 'foobar' });
  });

  it('oidcc-id-token-hint', async () => {
    const first = await signedIn.flow();
    const request = signedIn.request({ prompt: 'none', id_token_hint: first.tokens.id_token });
    const { left } = await signedIn.person.visit(request);
    const second = await signedIn.exchange(request, left ?? request);
    expect(second.claims['sub']).toBe(first.claims['sub']);
    expect(second.claims['auth_time']).toBe(first.claims['auth_time']);
  });

  it('oidcc-login-hint', async () => {
    const { page } = await flowFromLogin({ login_hint: 'buffy@suite.example' });
    expect(page.html).toMatch(/name="login"[^>]* value="buffy@suite\.example"/);
  });

  it('oidcc-ui-locales', async () => {
    await signedIn.flow({ ui_locales: 'se' });
    const { page } = await flowFromLogin({ ui_locales: 'se en' });
    expect(page.html).toContain('<html lang="en">');
  });

  it('oidcc-claims-locales', async () => {
    await signedIn.flow({ claims_locales: 'se' });
  });

  it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { acr_values_supported = ['1', '2'] } = (await discovery(service)) as { acr_values_supported?: string[] };
    const { claims } = await createRun(service).flow({ acr_values: acr_values_supported.join(' ') });
    if (claims['acr'] !== undefined) expect(acr_values_supported).toContain(claims['acr']);
  });

  it('oidcc-ensure-post-request-succeeds', async () => {
    const run = createRun(service);
    const request = run.request();
    const body = request.searchParams;
    const page = await run.person.visit(`${service.issuer}/authorize`, { method: 'POST', body });
    await run.exchange(request, await run.answer(page, request));
  });

  it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
    const request = signedIn.request({ request_uri: 'https://suite.example/test/a/hygie/requesturi' });
    const { left } = await signedIn.person.visit(request);
    expect(left?.searchParams.get('error')).toBe('request_uri_not_supported');
    expect((await discovery(service))['request_uri_parameter_supported']).toBe(false);
  });

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const request = signedIn.request();
    // As the suite sends it: what OAuth 2.0 requires stands beside the object, the rest in it only.
    const outside = { client_id: FIRST, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
    const query = new URLSearchParams({ ...outside, request: requestObject(request) });
    const { left } = await signedIn.person.visit(`${service.issuer}/authorize?${query}`);
    expect(left?.searchParams.get('error')).toBe('request_not_supported');
  });

  it('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const request = signedIn.request();
    const sent = new URL(request);
    sent.searchParams.set('redirect_uri', `${CALLBACK}/${randomBytes(6).toString('hex')}`);
    sent.searchParams.set('request', requestObject(request));
    const page = await signedIn.person.visit(sent);
    expect(page.left).toBeUndefined();
    expect(page.status).toBe(400);
    expect(page.html).toContain('invalid_redirect_uri');
  });

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const code_verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const challenge = { code_challenge, code_challenge_method: 'S256' };
    await signedIn.flow(challenge, { fields: { code_verifier } });
  });
});
