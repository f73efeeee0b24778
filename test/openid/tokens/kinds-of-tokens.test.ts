// Introspection, userinfo and the directory with tokens of every kind and state, asked by clients of every kind.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { basic, clientsWithApis } from '#support/openid/api-clients.ts';
import { newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { discover, obtainCode, redeem, SEARCH, signIn, statusWith } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { ALL_SCOPES, DEMO_ACCOUNTS, DEMO_PASSWORD, SECRET, testClients } from '#support/service.ts';

describe('kinds of tokens', () => {
  withService();

  describe('tokens of every kind', () => {
    const tokens: Record<string, string> = { unknown: 'none-that-was-ever-given', structured: 'a.b.c' };
    beforeAll(async () => {
      service.replaceClients(await clientsWithApis(newClientKey()));
      const plain = await signIn(service);
      tokens['plain'] = plain.tokens.access_token;
      tokens['identity'] = plain.tokens.id_token ?? '';
      tokens['of a single scope'] = (await signIn(service, { scope: 'openid ORGANIZATION_READ' })).tokens.access_token;
      const asked = { prompt: 'consent', claims: '{"userinfo":{"name":null}}' };
      const offline = { clientId: 'trusted', scope: `${ALL_SCOPES} offline_access`, parameters: asked };
      const kept = (await signIn(service, offline)).tokens;
      tokens['refresh'] = kept.refresh_token ?? '';
      const refreshed = await oidc.refreshTokenGrant(
        await discover(service, 'trusted'),
        (await signIn(service, offline)).tokens.refresh_token ?? '',
      );
      tokens['refreshed'] = refreshed.access_token;
      tokens['second refresh'] = refreshed.refresh_token ?? '';
      tokens['machine'] = (
        await oidc.clientCredentialsGrant(await discover(service, 'trusted'), { scope: 'email' })
      ).access_token;
      const dpop = proof(newClientKey(), { method: 'POST', url: `${service.issuer}/oauth/token` });
      const bound = await redeem(service, await obtainCode(service), {}, { dpop });
      tokens['bound to a key'] = ((await bound.json()) as { access_token: string }).access_token;

      /** With a token that the directory has answered: what was withdrawn since counts at the very next request. */
      const signInAs = async (number: number) => {
        const credentials = { login: DEMO_ACCOUNTS[number]?.email ?? '', password: DEMO_PASSWORD };
        const signedIn = await signIn(service, { person: createPerson(service.issuer), credentials });
        for (let times = 0; times < 2; times += 1)
          expect(await statusWith(service, signedIn.tokens.access_token, SEARCH)).toBe(200);
        return signedIn;
      };
      const revoked = await signInAs(3);
      tokens['revoked'] = revoked.tokens.access_token;
      await oidc.tokenRevocation(revoked.configuration, revoked.tokens.access_token);
      tokens['of who signed out'] = (await signInAs(4)).tokens.access_token;
      await service.database('oidc_records').where({ model: 'Session', account_id: DEMO_ACCOUNTS[4]?.id }).delete();
      tokens['of who is disabled'] = (await signInAs(5)).tokens.access_token;
      await openAccounts(service.database).update(DEMO_ACCOUNTS[5]?.id ?? '', { status: 'disabled' });

      tokens['without its row'] = (await signInAs(9)).tokens.access_token;
      const ofNine = service.database('oidc_records').where({ account_id: DEMO_ACCOUNTS[9]?.id });
      await ofNine.where({ model: 'AccessToken' }).delete();
      tokens['of a grant that is gone'] = (await signInAs(10)).tokens.access_token;
      await service.database('oidc_records').where({ model: 'Grant', account_id: DEMO_ACCOUNTS[10]?.id }).delete();

      tokens['of a grant of another person'] = (await signInAs(6)).tokens.access_token;
      const grants = service.database('oidc_records').where({ model: 'Grant', account_id: DEMO_ACCOUNTS[6]?.id });
      const { payload: grant } = await grants.clone().first();
      await grants.update({ payload: JSON.stringify({ ...JSON.parse(grant), accountId: DEMO_ACCOUNTS[7]?.id }) });

      const expired = (await signInAs(8)).tokens.access_token;
      tokens['expired'] = expired;
      const records = openOidcRecords(service.database);
      const payload = await records.find('AccessToken', expired);
      await records.upsert('AccessToken', expired, { ...payload, exp: Math.floor(Date.now() / 1000) - 60 }, -60);
    });
    afterAll(async () => service.replaceClients(await testClients()));

    const introspect = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams(fields);
      const response = await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', headers, body });
      return {
        status: response.status,
        body: (await response.json()) as { active?: boolean; error?: string; scope?: string },
      };
    };

    const STATES = [
      'plain',
      'of a single scope',
      'refresh',
      'refreshed',
      'second refresh',
      'machine',
      'bound to a key',
      'identity',
      'unknown',
      'structured',
      'revoked',
      'expired',
      'of who is disabled',
      'of who signed out',
      'of a grant of another person',
      'of a grant that is gone',
      'without its row',
    ];
    it.each(STATES)('RFC 7662 introspection of a token: %s', async (state) => {
      const token = tokens[state] ?? '';
      expect(token).not.toBe('');
      const active: string[] = [];
      for (const client_id of ['server', 'trusted', 'narrow', 'api', 'other-api']) {
        const inForm = await introspect({ token, client_id, client_secret: SECRET });
        if (inForm.body.active) active.push(client_id);
        const inHeader = await introspect({ token, token_type_hint: 'refresh_token' }, basic(client_id, SECRET));
        expect(inHeader).toEqual(inForm);
      }
      const whoMayKnow: Record<string, string[]> = {
        plain: ['server', 'api'],
        'of a single scope': ['server'],
        refresh: ['trusted'],
        refreshed: ['trusted', 'api', 'other-api'],
        'second refresh': ['trusted'],
        machine: ['trusted', 'api'],
        'bound to a key': ['server', 'api'],
      };
      expect(active).toEqual(whoMayKnow[state] ?? []);
    });

    it.each(STATES)('OpenID Connect Core section 5.3 userinfo with a token: %s', async (state) => {
      const response = await fetch(`${service.issuer}/userinfo`, {
        headers: { authorization: `Bearer ${tokens[state]}` },
      });
      expect(response.status).toBe(['plain', 'of a single scope', 'refreshed'].includes(state) ? 200 : 401);
      const claims = (await response.json()) as Record<string, unknown>;
      if (state === 'plain') expect(claims).toMatchObject({ name: expect.any(String), email: expect.any(String) });
      if (state === 'of a single scope') expect(claims).not.toHaveProperty('email');
    });

    it.each(STATES)('SEC-20 SEC-21 the directory with a token: %s', async (state) => {
      const statuses: Record<string, number> = { plain: 200, refreshed: 200, 'of a single scope': 403, machine: 403 };
      expect(await statusWith(service, tokens[state] ?? '', SEARCH)).toBe(statuses[state] ?? 401);
    });

    it.each<[string, Record<string, string>, Record<string, string>, number]>([
      ['a wrong secret', { client_id: 'server', client_secret: 'wrong' }, {}, 401],
      ['a wrong secret in the header', {}, basic('server', 'wrong'), 401],
      ['two kinds of authentication', { client_secret: SECRET }, basic('server', SECRET), 400],
      ['two names', { client_id: 'trusted' }, basic('server', SECRET), 400],
      ['no secret', { client_id: 'server' }, {}, 401],
      ['no name', { client_secret: SECRET }, {}, 400],
      ['a secret where there is none', { client_id: 'browser', client_secret: SECRET }, {}, 401],
      ['a secret where there is a key', { client_id: 'signing-api', client_secret: SECRET }, {}, 401],
      ['an unknown client', { client_id: 'nobody', client_secret: SECRET }, {}, 401],
      ['a malformed header', {}, { authorization: `Basic ${Buffer.from('server%:x').toString('base64')}` }, 400],
      ['a token in the header', {}, { authorization: 'Bearer x' }, 400],
    ])('SEC-15 introspection refuses %s', async (_what, fields, headers, status) => {
      const refused = await introspect({ token: tokens['plain'] ?? '', ...fields }, headers);
      expect(refused.body).not.toHaveProperty('active');
      expect(refused.status).toBe(status);
    });
  });
});
