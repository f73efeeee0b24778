// `authenticationClaims: true`: acr, amr and auth_time in every ID token of a client that cannot ask for them (OpenID Connect Core
// sections 2 and 5.5), after a refresh those of the sign-in.

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { PASSWORD_ACR } from '#openid/tokens/authentication-context.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, discover, redeem, signIn } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

const key = newClientKey();
const scope = 'openid offline_access';
const ABOUT = { acr: PASSWORD_ACR, amr: ['pwd'], auth_time: expect.any(Number) };
let service: RunningService;
let clients: ClientSettings[];
beforeAll(async () => {
  const trusted = (await testClients()).find(({ id }) => id === 'trusted') as ClientSettings;
  const broker = { ...trusted, refreshTokens: 'always', authenticationClaims: true } as const;
  clients = [
    { ...broker, id: 'broker' },
    { ...broker, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] } },
    { ...trusted, refreshTokens: 'always' },
  ];
  service = await startService({ clients });
});
afterAll(() => service.stop());

it('at each sign-in, silent ones too, beside what a request asks for', async () => {
  const person = createPerson(service.issuer);
  const { tokens } = await signIn(service, { clientId: 'broker', scope, person });
  expect(tokens.claims()).toMatchObject(ABOUT);
  const asked = {
    prompt: 'none',
    claims: JSON.stringify({ id_token: { sid: null, acr: { essential: true } }, userinfo: { sub: null } }),
  };
  const { tokens: silent } = await signIn(service, { clientId: 'broker', scope, person, parameters: asked });
  expect(silent.claims()).toMatchObject({ ...ABOUT, auth_time: tokens.claims()?.auth_time, sid: expect.any(String) });
  const { tokens: others } = await signIn(service, { clientId: 'trusted', scope, person });
  for (const claim of Object.keys(ABOUT)) expect(others.claims()).not.toHaveProperty(claim);
});

it('after a refresh, with the time of the sign-in', async () => {
  const { tokens } = await signIn(service, { clientId: 'broker', scope, person: createPerson(service.issuer) });
  const first = tokens.claims();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 100_000);
  try {
    const configuration = await discover(service, 'broker');
    const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(renewed.claims()).toMatchObject({ ...ABOUT, auth_time: first?.auth_time });
    expect(Number(renewed.claims()?.iat)).toBeGreaterThan(Number(first?.iat));
  } finally {
    clock.mockRestore();
  }
});

it('for pushed and signed requests', async () => {
  const configuration = await discover(service, 'broker');
  const state = oidc.randomState();
  const parameters = { redirect_uri: clients[0]?.callbackUrls[0] ?? '', scope: 'openid', state };
  const url = await oidc.buildAuthorizationUrlWithPAR(configuration, parameters);
  const back = await createPerson(service.issuer).signIn(url, CREDENTIALS);
  const pushed = await oidc.authorizationCodeGrant(configuration, back, { expectedState: state });
  expect(pushed.claims()).toMatchObject(ABOUT);

  await signIn(service, { clientId: 'broker', scope });
  const signing = signingClient(key, 'signing', state);
  const { left } = await signing.visit(service, signing.requestObject(service));
  const proved = assertion(key, 'signing', service.issuer);
  const code = left?.searchParams.get('code') ?? '';
  const answer = await redeem(service, code, { client_secret: undefined, ...proved });
  const { id_token = '' } = (await answer.json()) as { id_token?: string };
  expect(JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject(ABOUT);
});

it('a malformed claims parameter stays a refusal', async () => {
  const url = authorizationUrl(service, { client_id: 'broker', claims: '{"id_token":[]}' });
  const { left } = await createPerson(service.issuer).visit(url);
  expect(left?.searchParams.get('error')).toBe('invalid_request');
});
