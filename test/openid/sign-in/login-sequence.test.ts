// Specification sections 1, 2.1, 2.2, 4.1-4.3, 5, 8 and 9, driven by openid-client against the running service.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { discover, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { CALLBACK, DEMO_ACCOUNTS } from '#support/service.ts';

const person = DEMO_ACCOUNTS[0];

import { withSignedInService } from '#support/openid/signed-in.ts';

describe('login sequence', () => {
  const on = withSignedInService();

  describe('1 the server-side login sequence', () => {
    it('1.2 comes back to the redirect_uri with code and state', () => {
      expect(`${on.signedIn.callback.origin}${on.signedIn.callback.pathname}`).toBe(CALLBACK);
      expect(on.signedIn.callback.searchParams.get('code')).toBeTruthy();
      expect(on.signedIn.callback.searchParams.get('state')).toBe(on.signedIn.state);
    });

    it('1.5 gives the same person in the ID token and from userinfo', async () => {
      const { access_token, claims } = on.signedIn.tokens;
      const idToken = claims.call(on.signedIn.tokens);
      const info = await oidc.fetchUserInfo(on.signedIn.configuration, access_token, person?.id ?? '');
      for (const name of ['sub', 'name', 'email', 'https://hygie.example/userInfo', 'updated_at', 'picture']) {
        expect(info[name]).toEqual(idToken?.[name]);
      }
    });
  });

  describe('2.1 token response', () => {
    it('has access_token, id_token, expires_in and token_type', () => {
      const { access_token, id_token, expires_in, token_type } = on.signedIn.tokens;
      expect(access_token).toMatch(/^[\w-]{22,}$/);
      expect(id_token?.split('.')).toHaveLength(3);
      expect(Number.isInteger(expires_in)).toBe(true);
      expect(expires_in).toBe(on.service.settings.lifetimes.accessToken);
      expect(token_type.toLowerCase()).toBe('bearer');
    });

    it('has token_type Bearer to the letter, and SEC-18 is not stored', async () => {
      const response = await redeem(on.service, await obtainCode(on.service));
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await response.json()).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) });
    });

    it('has no id_token when openid was not requested', async () => {
      const { tokens } = await signIn(on.service, { scope: 'PRACTITIONER_READ' });
      expect(tokens.id_token).toBeUndefined();
      expect(tokens.access_token).toBeTruthy();
    });
  });

  describe('2.2 ID token payload', () => {
    const claim = (name: string) => on.signedIn.tokens.claims()?.[name];

    it.each([
      ['https://hygie.example/applicationName', 'Dossier de test'],
      ['nickname', person?.nickname],
      ['name', person?.name],
      ['email', person?.email],
      ['email_verified', true],
      ['sub', person?.id],
      ['aud', 'server'],
    ])('%s is %p', (name, value) => {
      expect(claim(name)).toBe(value);
    });

    it('iss is the authentication server', () => expect(claim('iss')).toBe(on.service.issuer));
    it('nonce is the one sent', () => expect(claim('nonce')).toBe(on.signedIn.nonce));
    it('picture is an address that answers with a picture', async () => {
      const response = await fetch(String(claim('picture')));
      expect(response.headers.get('content-type')).toMatch(/^image\//);
    });
    it('updated_at is an ISO 8601 timestamp', () => {
      expect(claim('updated_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });
    it('iat and exp are seconds since the epoch', () => {
      const now = Date.now() / 1000;
      expect(Math.abs(Number(claim('iat')) - now)).toBeLessThan(60);
      expect(Number(claim('exp')) - Number(claim('iat'))).toBe(on.service.settings.lifetimes.idToken);
    });
    it('at_hash is the hash of the access token', () => {
      const left = createHash('sha256').update(on.signedIn.tokens.access_token).digest().subarray(0, 16);
      expect(claim('at_hash')).toBe(left.toString('base64url'));
    });
    it('userInfo has uuid, apiUrl, currentWorkspaceId and identities', () => {
      expect(claim('https://hygie.example/userInfo')).toEqual({
        uuid: person?.id,
        apiUrl: `${on.service.issuer}/directory/v2`,
        currentWorkspaceId: `Organization/${person?.workspaces?.[0]}`,
        identities: person?.practitioners?.map((id) => `Practitioner/${id}`),
      });
    });

    it.each([
      ['openid', [], ['email', 'email_verified', 'name', 'nickname', 'picture', 'updated_at']],
      ['openid email', ['email', 'email_verified'], ['name', 'nickname', 'picture', 'updated_at']],
      ['openid profile', ['name', 'nickname', 'picture', 'updated_at'], ['email', 'email_verified']],
    ])('5.5 scope "%s" gives its claims and no others', async (scope, present, absent) => {
      const { tokens } = await signIn(on.service, { scope });
      const claims = tokens.claims() ?? {};
      for (const name of present) expect(claims).toHaveProperty(name);
      for (const name of absent) expect(claims).not.toHaveProperty(name);
      expect(claims).toHaveProperty(['https://hygie.example/userInfo']);
    });
  });

  describe('4.2 token exchange', () => {
    it('5.1 takes the secret in the header as well (client_secret_basic)', async () => {
      const configuration = await discover(on.service, 'server', oidc.ClientSecretBasic());
      const { tokens } = await signIn(on.service, { configuration });
      expect(tokens.claims()?.sub).toBe(person?.id);
    });

    it.each(['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri'])('%s is required', async (name) => {
      const response = await redeem(on.service, await obtainCode(on.service), { [name]: undefined });
      expect([400, 401]).toContain(response.status);
      expect(await response.json()).toHaveProperty('error');
    });

    it('SEC-14 the redirect_uri must equal that of the authorization request', async () => {
      const response = await redeem(on.service, await obtainCode(on.service), { redirect_uri: `${CALLBACK}/` });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
    });

    it('SEC-15 a wrong secret gives 401 invalid_client and does not consume the code', async () => {
      const code = await obtainCode(on.service);
      const wrong = await redeem(on.service, code, { client_secret: 'wrong' });
      expect(wrong.status).toBe(401);
      expect(await wrong.json()).toMatchObject({ error: 'invalid_client' });
      expect((await redeem(on.service, code)).status).toBe(200);
    });

    it("SEC-13 another client's redemption is refused and does not consume the code", async () => {
      const code = await obtainCode(on.service);
      const other = await redeem(on.service, code, { client_id: 'narrow' });
      expect(other.status).toBe(400);
      expect(await other.json()).toMatchObject({ error: 'invalid_grant' });
      expect((await redeem(on.service, code)).status).toBe(200);
    });

    it('SEC-05 neither password nor implicit grants exist', async () => {
      for (const grant_type of [
        'password',
        'implicit',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]) {
        const response = await redeem(on.service, 'x', { grant_type, username: 'a', password: 'b' });
        expect([400, 401]).toContain(response.status);
      }
    });
  });

  it('4.3 user information takes the access token in the Authorization header', async () => {
    const response = await fetch(`${on.service.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${on.signedIn.tokens.access_token}` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sub: person?.id, email: person?.email });
  });
});
