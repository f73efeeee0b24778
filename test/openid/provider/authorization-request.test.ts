// Specification sections 4.1, 8 and 9: what an authorization request must carry, and what becomes of a faulty one.

import { describe, expect, it } from '@jest/globals';
import { authorizationUrl, CREDENTIALS, obtainCode, signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { withSignedInService } from '#support/openid/signed-in.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK } from '#support/service.ts';

describe('4.1 authorization request', () => {
  const on = withSignedInService();

  const refused = async (parameters: Record<string, string | undefined>) => {
    const visit = await createPerson(on.service.issuer).visit(authorizationUrl(on.service, parameters));
    expect(visit.left?.href.startsWith(`${CALLBACK}?`)).toBe(true);
    return visit.left?.searchParams;
  };

  it('state is required', async () => {
    const answer = await refused({ state: undefined });
    expect(answer?.get('error')).toBe('invalid_request');
    expect(answer?.get('error_description')).toContain('state');
  });

  it('state is returned unchanged, whatever its characters', async () => {
    const state = 'äö+/=&?#% "quoted" <tag> 0123456789';
    const callback = await signedInPerson(on.service).signIn(authorizationUrl(on.service, { state }), CREDENTIALS);
    expect(callback.searchParams.get('state')).toBe(state);
  });

  it('8 a state shorter than 30 characters is accepted, and noted once per client', async () => {
    for (const state of ['short-one', 'short-two']) {
      const callback = await signedInPerson(on.service).signIn(authorizationUrl(on.service, { state }), CREDENTIALS);
      expect(callback.searchParams.get('state')).toBe(state);
    }
    const notes = on.service
      .logged()
      .split('\n')
      .filter((line) => line.includes('short state'));
    expect(notes).toHaveLength(1);
    expect(JSON.parse(notes[0] ?? '')).toMatchObject({ level: 'warn', client: 'server', length: 9 });
  });

  it.each(['token', 'id_token', 'code id_token', 'code token', 'none'])(
    'SEC-04 response_type %s is refused',
    async (response_type) => {
      const visit = await createPerson(on.service.issuer).visit(authorizationUrl(on.service, { response_type }));
      const answer = new URLSearchParams(visit.left?.hash.slice(1) || visit.left?.search);
      expect(answer.get('error')).toMatch(/^unsupported_response_type|unauthorized_client$/);
      expect(answer.has('code')).toBe(false);
    },
  );

  it('scope is required', async () => {
    const answer = await refused({ scope: undefined });
    expect(answer?.get('error')).toBe('invalid_request');
    expect(answer?.get('error_description')).toContain('scope');
  });

  it.each(['2.0.0', '2', '2.1', '2.10.3'])('9.1 SEC-52 version %s is supported', async (version) => {
    expect(await obtainCode(on.service, { version })).toBeTruthy();
  });

  it('9.1 SEC-52 version may be absent', async () => {
    expect(await obtainCode(on.service, { version: undefined })).toBeTruthy();
  });

  it.each(['1.0.0', '3.0.0', '2.x', 'x', '2.0.0.0', '20'])('9.1 SEC-52 version "%s" is refused', async (version) => {
    const answer = await refused({ version });
    expect(answer?.get('error')).toBe('invalid_request');
    expect(answer?.get('error_description')).toContain('version');
  });

  it('SEC-52 an unknown scope and an unknown parameter are ignored, the scope noted once per client', async () => {
    const { tokens } = await signIn(on.service, {
      scope: 'openid email UNHEARD_OF',
      parameters: { unheard_of: 'anything' },
    });
    expect(tokens.scope?.split(' ').sort()).toEqual(['email', 'openid']);
    await obtainCode(on.service, { scope: 'openid UNHEARD_OF' });
    const notes = on.service
      .logged()
      .split('\n')
      .filter((line) => line.includes('UNHEARD_OF'));
    expect(notes).toHaveLength(1);
    expect(JSON.parse(notes[0] ?? '')).toMatchObject({ level: 'warn', client: 'server', scopes: ['UNHEARD_OF'] });
  });

  it('SEC-28 names the issuer in the answer, in errors too (RFC 9207)', async () => {
    expect(on.signedIn.callback.searchParams.get('iss')).toBe(on.service.issuer);
    expect((await refused({ scope: undefined }))?.get('iss')).toBe(on.service.issuer);
  });

  it.each([
    // Those that differ in one part: `errors/explanations.test.ts`.
    CALLBACK.replace('application', 'www.application'),
    `${CALLBACK}.evil.example`,
    'https://evil.example/callback',
    'javascript:alert(1)',
  ])('SEC-01 callback %s gives a page and no redirect', async (redirect_uri) => {
    const visit = await createPerson(on.service.issuer).visit(authorizationUrl(on.service, { redirect_uri }));
    expect(visit.left).toBeUndefined();
    expect(visit.status).toBe(400);
    expect(visit.html).toContain('<h1>');
  });

  it.each(['state', 'scope', 'client_id', 'redirect_uri', 'version', 'response_type', 'nonce'])(
    'SEC-43 a repeated %s is refused',
    async (name) => {
      const url = authorizationUrl(on.service, { nonce: 'n' });
      url.searchParams.append(name, url.searchParams.get(name) ?? '');
      const visit = await createPerson(on.service.issuer).visit(url);
      const error = visit.left ? visit.left.searchParams.get('error') : visit.status;
      expect(['invalid_request', 400]).toContain(error);
      expect(visit.left?.searchParams.has('code') ?? false).toBe(false);
    },
  );
});
