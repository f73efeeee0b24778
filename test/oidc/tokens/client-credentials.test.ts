// Tokens that a client has for itself (client credentials, RFC 6749 section 4.4): which scopes they may have, and that no
// person stands behind them.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '../../../src/config/settings.ts';
import { redeem } from '../../support/oidc/relying-party.ts';
import { type RunningService, startService, testClients } from '../../support/service.ts';

describe('a client on its own', () => {
  let service: RunningService;
  beforeAll(async () => {
    const server = (await testClients()).find(({ id }) => id === 'server') as ClientSettings;
    const scopes = ['openid', 'email', 'offline_access'];
    service = await startService({ clients: [{ ...server, id: 'machine', serviceAccount: true, scopes }] });
  });
  afterAll(() => service.stop());

  const ask = async (scope?: string) => {
    const fields = { grant_type: 'client_credentials', client_id: 'machine', scope, code: undefined };
    const answer = await redeem(service, '', { ...fields, redirect_uri: undefined });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };

  it('gets what it asks for, or nothing in particular', async () => {
    expect(await ask('email')).toMatchObject({ status: 200, body: { scope: 'email' } });
    const { status, body } = await ask();
    expect([status, body['scope'], body['refresh_token'], body['id_token']]).toEqual([
      200,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['openid', 'openid'],
    ['openid offline_access', 'openid offline_access'],
    ['email offline_access', 'offline_access'],
  ])('is refused scopes that mean nothing without a person: %s', async (scope, refused) => {
    expect(await ask(scope)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_scope',
        error_description: `client_credentials gives a token without a person: leave ${refused} out of scope, which is for the sign-in of people`,
      },
    });
  });

  it('is told which scopes it lacks', async () => {
    expect(await ask('PRACTITIONER_READ')).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_scope',
        error_description: expect.stringMatching(/^this client may not ask for PRACTITIONER_READ: /),
      },
    });
  });

  it('is refused at userinfo', async () => {
    const { body } = await ask('email');
    const authorization = `Bearer ${body['access_token']}`;
    const answer = await fetch(`${service.issuer}/userinfo`, { headers: { authorization } });
    const { error_description: text } = (await answer.json()) as { error_description: string };
    expect([answer.status, text]).toEqual([401, expect.any(String)]);
    expect(answer.headers.get('www-authenticate')).toContain(`error_description="${text}"`);
  });
});
