// What tokens are worth, and when they stop being worth it: one-time codes, PKCE, revocation, introspection, sign-out.
// Section 3 and 5 of the specification and the security checklist, on SQLite and PostgreSQL.

import { describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import {
  authorizationUrl,
  CREDENTIALS,
  discoverPublic,
  obtainCode,
  redeem,
  signedInPerson,
  signIn,
} from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, SECRET } from '#support/service.ts';

describe('codes and tokens', () => {
  withService();

  const directory = (token: string, path = '/Practitioner?name=martin') =>
    fetch(`${service.issuer}/directory/v2${path}`, { headers: { authorization: `Bearer ${token}` } });

  describe('3 an authorization code', () => {
    const clock = stoppableClock();

    it('SEC-12 lives 60 s at most, and is refused when it has expired', async () => {
      clock.stop();
      const [used, late] = [await obtainCode(service), await obtainCode(service)];
      clock.pass(59);
      expect((await redeem(service, used)).status).toBe(200);
      clock.pass(1);
      const answer = await redeem(service, late);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    });
  });

  describe('3 an access token', () => {
    const clock = stoppableClock();

    it('SEC-20 2.1 lives for expires_in seconds, at userinfo too, which tolerates no skewed clock', async () => {
      clock.stop();
      const { tokens } = await signIn(service, { scope: 'openid PRACTITIONER_READ' });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const userinfo = () => fetch(`${service.issuer}/userinfo`, { headers });
      const statuses = async () => [(await userinfo()).status, (await directory(tokens.access_token)).status];
      clock.pass(Number(tokens.expires_in) - 1);
      expect(await statuses()).toEqual([200, 200]);
      clock.pass(1);
      expect(await statuses()).toEqual([401, 401]);
      expect(await (await userinfo()).json()).toMatchObject({ error: 'invalid_token' });
    });
  });

  describe('5.2 PKCE for public clients', () => {
    const publicSignIn = (parameters: Record<string, string | undefined> = {}) =>
      signedInPerson(service).signIn(authorizationUrl(service, { client_id: 'browser', ...parameters }), CREDENTIALS);
    const redeemPublic = (code: string, verifier?: string) =>
      redeem(service, code, { client_id: 'browser', client_secret: undefined, code_verifier: verifier });
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = async () => ({
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });

    it('signs a native client in, at its own scheme', async () => {
      const configuration = await discoverPublic(service, 'native');
      const { tokens } = await signIn(service, {
        clientId: 'native',
        configuration,
        redirectUri: 'com.example.app:/callback',
      });
      expect(tokens.claims()?.aud).toBe('native');
    });

    it('SEC-07 refuses a public client without a challenge, and the plain method', async () => {
      const bare = await publicSignIn();
      expect(bare.searchParams.get('error')).toBe('invalid_request');
      const plain = await publicSignIn({ code_challenge: verifier, code_challenge_method: 'plain' });
      expect(plain.searchParams.get('error')).toBe('invalid_request');
      const unnamed = await publicSignIn({ code_challenge: verifier });
      expect(unnamed.searchParams.get('error')).toBe('invalid_request');
    });

    it('SEC-07 enforces the challenge of a confidential client', async () => {
      const code = await obtainCode(service, await challenge());
      expect((await redeem(service, code)).status).toBe(400);
    });

    it('SEC-08 refuses a verifier for a code issued without challenge', async () => {
      const answer = await redeem(service, await obtainCode(service), { code_verifier: verifier });
      expect(answer.status).toBe(400);
    });

    it.each([
      ['wrong', 'x'.repeat(43)],
      ['short', 'x'.repeat(42)],
      ['long', 'x'.repeat(129)],
      ['illegal', `${'x'.repeat(50)}!`],
      ['missing', undefined],
    ])('SEC-09 refuses a %s verifier', async (_name, bad) => {
      const code = (await publicSignIn(await challenge())).searchParams.get('code') ?? '';
      const answer = await redeemPublic(code, bad);
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: string }).error).toMatch(/^invalid_(grant|request)$/);
    });

    it('5.8 takes no secret from a public client', async () => {
      const code = (await publicSignIn(await challenge())).searchParams.get('code') ?? '';
      const answer = await redeem(service, code, { client_id: 'browser', code_verifier: verifier });
      expect(answer.status).toBe(401);
    });
  });

  it.each([
    ['PRACTITIONER_READ', '/Practitioner?name=martin', 200],
    ['PRACTITIONER_READ', '/Organization?name=pharmacie', 403],
    ['ORGANIZATION_READ', '/Organization?name=pharmacie', 200],
    ['ORGANIZATION_READ', '/Practitioner?name=martin', 403],
    ['openid email', '/Practitioner?name=martin', 403],
  ])('4.5 and 5.4 scope "%s" at %s gives %d', async (scope, path, status) => {
    const { tokens } = await signIn(service, { scope });
    expect((await directory(tokens.access_token, path)).status).toBe(status);
  });

  it('SEC-16 a dump of the database holds no token, code, session or secret', async () => {
    const person = createPerson(service.issuer);
    const code = await obtainCode(service, {}, person);
    const { access_token, id_token } = (await (await redeem(service, code)).json()) as Record<string, string>;
    const waiting = await obtainCode(service, {}, person);
    const tables = ['oidc_records', 'page_sessions', 'accounts', 'rate_limits', 'consents'];
    const dump = JSON.stringify(await Promise.all(tables.map((table) => service.database(table).select('*'))));
    const session = person.cookies.get('hygie_session /');
    expect(session).toBeTruthy();
    for (const secret of [code, waiting, access_token, id_token, SECRET, CREDENTIALS.password, session]) {
      expect(dump.includes(String(secret))).toBe(false);
    }
    expect(service.logged().includes(access_token ?? '')).toBe(false);
    expect(service.logged().includes(code)).toBe(false);
  });

  it('RFC 7009 2.2: the answer to a revocation is empty and has no media type, which oidc-client-ts demands', async () => {
    const body = new URLSearchParams({ client_id: 'server', client_secret: SECRET, token: 'x' });
    const answer = await fetch(`${service.issuer}/oauth/revoke`, { method: 'POST', body });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, null, '']);
  });

  it('a client without secret may send an empty one in the header, and no other may (RFC 6749 section 2.3.1)', async () => {
    const verifier = oidc.randomPKCECodeVerifier();
    const code_challenge = await oidc.calculatePKCECodeChallenge(verifier);
    const redeemAs = async (header: string, fields: Record<string, string> = {}) => {
      const code = await obtainCode(service, {
        client_id: 'browser',
        code_challenge,
        code_challenge_method: 'S256',
      });
      const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
      const answer = await fetch(`${service.issuer}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...grant, ...fields }),
        headers: { authorization: `Basic ${Buffer.from(header).toString('base64')}` },
      });
      return [answer.status, ((await answer.json()) as { error?: string }).error];
    };
    expect(await redeemAs('browser:')).toEqual([200, undefined]);
    // Two clients in one request, and one that has a secret to send.
    expect(await redeemAs('browser:', { client_id: 'native' })).toEqual([400, 'invalid_request']);
    expect(await redeemAs('server:')).toEqual([400, 'invalid_request']);
  });
});
