// SEC-61, SEC-65: which keys a proof of possession may have where tokens are given, and what becomes of tokens without one when the
// operator demands it.

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { discover, obtainCode, redeem } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { CALLBACK, SECRET, testClients } from '#support/service.ts';

describe('keys of possession', () => {
  let clients: ClientSettings[];
  withService(async () => {
    clients = await testClients();
    return { clients };
  });

  it.each([
    ['PS256', 'RS256'],
    ['RS256', 'PS256'],
  ])('SEC-61 RFC 7517 4.4: a key for %s with a proof by %s: one refusal everywhere', async (ofKey, by) => {
    const rsa = newClientKey('RS256');
    const { kid: _kid, ...jwk } = rsa.jwk;
    const at = (path: string) => service.issuer + path;
    const dpop = (path: string, alg: string, token?: string) =>
      proof(
        rsa,
        { method: token ? 'GET' : 'POST', url: at(path), ...(token && { token }) },
        {},
        { alg, jwk: { ...jwk, alg: ofKey } },
      );
    const reason = `its alg is ${by}, and that of its key ${ofKey}`;
    const good = await redeem(service, await obtainCode(service), {}, { dpop: dpop('/oauth/token', ofKey) });
    const { access_token: token } = (await good.json()) as { access_token: string };
    for (const path of ['/userinfo', '/directory/v2/Practitioner?name=martin']) {
      const ask = (alg: string) =>
        fetch(at(path), { headers: { authorization: `DPoP ${token}`, dpop: dpop(path, alg, token) } });
      const refused = await ask(by);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(new RegExp(`error="invalid_dpop_proof".*${reason}`)),
      ]);
      expect((await ask(ofKey)).status).toBe(200);
    }
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: oidc.randomState() };
    const body = new URLSearchParams({ ...request, client_id: 'server', client_secret: SECRET });
    for (const refused of [
      await redeem(service, await obtainCode(service), {}, { dpop: dpop('/oauth/token', by) }),
      await fetch(at('/oauth/par'), { method: 'POST', body, headers: { dpop: dpop('/oauth/par', by) } }),
    ]) {
      expect(await refused.json()).toMatchObject({
        error: 'invalid_dpop_proof',
        error_description: expect.stringContaining(reason),
      });
    }
  });

  it('SEC-65 tokens that are bound to no key are worth nothing once the operator demands one of the client', async () => {
    const parameters = { client_id: 'trusted', scope: 'openid PRACTITIONER_READ' };
    const answer = await redeem(service, await obtainCode(service, parameters), { client_id: 'trusted' });
    const { access_token } = (await answer.json()) as { access_token: string };
    const statuses = async () => {
      const configuration = await discover(service, 'trusted');
      const { active } = await oidc.tokenIntrospection(configuration, access_token);
      const headers = { authorization: `Bearer ${access_token}` };
      const places = ['/userinfo', '/directory/v2/Practitioner?name=martin'];
      const answers = await Promise.all(places.map((path) => fetch(service.issuer + path, { headers })));
      return [...answers.map(({ status }) => status), active];
    };
    expect(await statuses()).toEqual([200, 200, true]);
    service.replaceClients(
      clients.map((client) => (client.id === 'trusted' ? { ...client, dpop: 'required' as const } : client)),
    );
    expect(await statuses()).toEqual([401, 401, false]);
    service.replaceClients(clients);
    expect(await statuses()).toEqual([200, 200, true]);
  });
});
