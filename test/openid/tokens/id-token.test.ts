// SEC-03, SEC-19, SEC-22, SEC-23: what an ID token says and who has signed it, what a token is made of and where it is taken
// from, and that no error path leads to an address that is not registered.

import { createHmac, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Claims, createRun, decoded, discovery, FIRST, startCertified } from '#support/certification/suite.ts';
import { openedForAll } from '#support/opened.ts';
import { createPerson } from '#support/person.ts';

describe('ID token', () => {
  let run: ReturnType<typeof createRun>;
  let flow: Awaited<ReturnType<typeof run.flow>>;
  const service = openedForAll(startCertified);
  beforeAll(async () => {
    run = createRun(service);
    // Its checks are those of every ID token: `checkIdToken` of the suite.
    flow = await run.flow({ scope: 'openid email profile' });
  });

  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  describe('ID tokens', () => {
    it('SEC-22 iss, aud, exp, iat, nonce and at_hash are right, after the lifetime that the operator set', () => {
      const { claims } = flow;
      expect(claims).toMatchObject({
        iss: service.issuer,
        aud: FIRST,
        nonce: expect.any(String),
        at_hash: expect.any(String),
      });
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(service.settings.lifetimes.idToken);
    });

    it('SEC-23 no algorithm without a signature and none with a shared secret is offered', async () => {
      const offered = (await discovery(service))['id_token_signing_alg_values_supported'] as string[];
      expect(offered.filter((alg) => alg === 'none' || alg.startsWith('HS'))).toEqual([]);
    });

    it.each([
      ['none', () => ''],
      ['HS256', (text: string) => createHmac('sha256', 'kept as a hash').update(text).digest('base64url')],
    ])('SEC-23 an id_token_hint with %s is refused', async (alg, sign) => {
      const [header = '', payload = ''] = flow.tokens.id_token.split('.');
      const own = `${encoded({ ...decoded(header), alg } as Claims)}.${payload}`;
      const hint = `${own}.${sign(own)}`;
      const { left } = await run.person.visit(run.request({ prompt: 'none', id_token_hint: hint }));
      expect(left?.searchParams.get('error')).toBe('invalid_request');
      expect(left?.searchParams.has('code')).toBe(false);
    });
  });

  describe('access tokens', () => {
    it('SEC-19 have 128 bits or more, and no two are alike', async () => {
      const tokens = [flow, await run.flow(), await run.flow()].map(({ tokens: { access_token } }) => access_token);
      // Six bits to each character.
      for (const token of tokens) expect(token).toMatch(/^[\w-]{22,}$/);
      expect(new Set(tokens).size).toBe(3);
    });

    it('SEC-19 are not taken from a form or an address at userinfo', async () => {
      const fields = new URLSearchParams({ access_token: flow.tokens.access_token });
      const posted = await fetch(`${service.issuer}/userinfo`, { method: 'POST', body: fields });
      const asked = await fetch(`${service.issuer}/userinfo?${fields}`);
      for (const answer of [posted, asked]) {
        expect([400, 401]).toContain(answer.status);
        expect(await answer.text()).not.toContain(String(flow.claims['sub']));
      }
    });
  });

  describe('SEC-03 no error path leads to an address that is not registered', () => {
    const evil = { redirect_uri: 'https://evil.example/callback' };
    it.each<[string, Record<string, string | undefined>]>([
      ['a good request', {}],
      ['no state', { state: undefined }],
      ['no scope', { scope: undefined }],
      ['an unsupported response_type', { response_type: 'token' }],
      ['an unsupported response_mode', { response_mode: 'web_message' }],
      ['a response_mode that posts', { response_mode: 'form_post' }],
      ['an unsupported version', { version: '1.0' }],
      ['a wrong prompt', { prompt: 'none login' }],
      ['prompt=none', { prompt: 'none' }],
      ['a forged hint', { id_token_hint: 'x.y.z' }],
      ['a faulty challenge', { code_challenge: 'short', code_challenge_method: 'S256' }],
      ['a request object', { request: 'x.y.z' }],
      ['an unknown client', { client_id: 'nobody' }],
      ['no client', { client_id: undefined }],
      [
        'a pushed request that there is not',
        { request_uri: `urn:ietf:params:oauth:request_uri:${randomBytes(9).toString('hex')}` },
      ],
    ])('%s', async (_what, parameters) => {
      const page = await createPerson(service.issuer).visit(run.request({ ...evil, ...parameters }));
      expect(page.left).toBeUndefined();
      expect(page.status).toBe(400);
      // Nor does a form or a script of the page: only the link to the other language repeats the request.
      expect(page.html.slice(page.html.indexOf('<main'))).not.toContain('evil.example');
    });
  });
});
