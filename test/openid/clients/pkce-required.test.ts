// SEC-65: PKCE wherever the operator demands it of servers: of one, or of all.

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { authorizationUrl, CREDENTIALS, redeem, signedInPerson } from '#support/openid/relying-party.ts';
import { CALLBACK, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

describe('SEC-65 pkce: required', () => {
  const visit = async (service: RunningService, client_id: string, more: Record<string, string> = {}) => {
    const person = signedInPerson(service);
    const url = authorizationUrl(service, { client_id, scope: 'openid', ...more });
    return (await person.signIn(url, CREDENTIALS)).searchParams;
  };
  const withChallenge = async () => ({
    code_challenge: await oidc.calculatePKCECodeChallenge('v'.repeat(43)),
    code_challenge_method: 'S256',
  });

  it('of one server: only its requests need a challenge, pushed ones too', async () => {
    const clients = (await testClients()).map((client) =>
      client.id === 'trusted' ? { ...client, pkce: 'required' as const } : client,
    );
    const service = await startService({ clients });
    try {
      expect((await visit(service, 'server')).get('code')).toBeTruthy();
      const refused = await visit(service, 'trusted');
      expect([refused.get('error'), refused.get('error_description')]).toEqual([
        'invalid_request',
        expect.stringContaining('code_challenge is missing'),
      ]);
      const code = (await visit(service, 'trusted', await withChallenge())).get('code') ?? '';
      expect((await redeem(service, code, { client_id: 'trusted' })).status).toBe(400);
      const again = (await visit(service, 'trusted', await withChallenge())).get('code') ?? '';
      const fields = { client_id: 'trusted', code_verifier: 'v'.repeat(43) };
      expect((await redeem(service, again, fields)).status).toBe(200);
      const body = new URLSearchParams({
        client_id: 'trusted',
        client_secret: SECRET,
        response_type: 'code',
        redirect_uri: CALLBACK,
        scope: 'openid',
        state: oidc.randomState(),
      });
      expect((await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body })).status).toBe(400);
    } finally {
      await service.stop();
    }
  });

  it('of all: no server is served without, and the service itself goes on', async () => {
    const service = await startService({ adjust: (settings) => ({ ...settings, pkce: 'required' }) });
    try {
      const person = signedInPerson(service);
      const { left } = await person.visit(authorizationUrl(service, { scope: 'openid' }));
      expect(left?.searchParams.get('error_description')).toContain('code_challenge is missing');
      const served = await visit(service, 'server', await withChallenge());
      expect(served.get('code')).toBeTruthy();
      const account = await person.visit(`${service.issuer}/account`);
      expect([account.status, account.url]).toEqual([200, `${service.issuer}/account`]);
    } finally {
      await service.stop();
    }
  });
});
