// SEC-46: pushed authorization requests (RFC 9126). A request_uri is good once, for a minute, for its client alone.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { authorizationUrl, CREDENTIALS, discover, signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { createPerson } from '#support/person.ts';
import { ALL_SCOPES, CALLBACK, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

describe('SEC-46 pushed authorization requests', () => {
  let service: RunningService;
  let other: SecondInstance;
  beforeAll(async () => {
    const clients = (await testClients()).map(
      (client): ClientSettings => (client.id === 'trusted' ? { ...client, par: 'required' } : client),
    );
    service = await startService({ clients });
    other = await startSecondInstance(service, clients);
    await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
  });
  const clock = stoppableClock();
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const push = async (fields: Record<string, string | undefined> = {}) => {
    const all = {
      client_id: 'server',
      client_secret: SECRET,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: ALL_SCOPES,
      state: oidc.randomState(),
      ...fields,
    };
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) if (value !== undefined) body.set(name, value);
    const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
    return {
      status: answer.status,
      body: (await answer.json()) as { request_uri: string; expires_in: number; error?: string },
    };
  };
  const address = (request_uri: string, client_id = 'server') =>
    `${service.issuer}/authorize?${new URLSearchParams({ client_id, request_uri })}`;
  const open = (request_uri: string, client_id?: string) =>
    signedInPerson(service).visit(address(request_uri, client_id));

  it('openid-client pushes a request and signs a person in by it', async () => {
    const configuration = await discover(service, 'server');
    const state = oidc.randomState();
    const url = await oidc.buildAuthorizationUrlWithPAR(configuration, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      state,
    });
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const callback = await createPerson(service.issuer).signIn(url, CREDENTIALS);
    const tokens = await oidc.authorizationCodeGrant(configuration, callback, { expectedState: state });
    expect(tokens.claims()?.aud).toBe('server');
  });

  it('a request_uri lives for a minute at most', async () => {
    const { status, body } = await push();
    expect(status).toBe(201);
    expect(body.expires_in).toBeLessThanOrEqual(60);
    clock.stop();
    clock.pass(61);
    const page = await open(body.request_uri);
    expect(page.left?.searchParams.has('code') ?? false).toBe(false);
    expect(page.html).toContain('request_uri');
  });

  it('SEC-16 what is kept of it holds no secret and no request_uri', async () => {
    const { body } = await push();
    const dump = JSON.stringify(await service.database('oidc_records').where({ model: 'PushedAuthorizationRequest' }));
    expect(dump).toContain('sealed');
    for (const text of [SECRET, CALLBACK, body.request_uri.split(':').at(-1)]) expect(dump).not.toContain(text);
    expect((await open(body.request_uri)).left?.searchParams.has('code')).toBe(true);
  });

  it('gives one code when it is opened several times at once', async () => {
    const { body } = await push();
    const person = signedInPerson(service);
    const cookie = [...person.cookies]
      .filter(([key]) => key.endsWith(' /'))
      .map(([key, value]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const target = address(body.request_uri);
        return index % 2
          ? other.send(target, { headers: { cookie } })
          : fetch(target, { headers: { cookie }, redirect: 'manual' });
      }),
    );
    const codes = answers.filter((answer) => answer.headers.get('location')?.includes('code='));
    expect(codes).toHaveLength(1);
  });

  it('is bound to its client', async () => {
    const { body } = await push();
    const page = await open(body.request_uri, 'narrow');
    expect(page.left).toBeUndefined();
    expect(page.status).toBe(400);
    expect((await open(body.request_uri)).left?.searchParams.get('code')).toBeTruthy();
  });

  it.each([
    ['a wrong secret', { client_secret: 'wrong' }, 401],
    ['no secret', { client_secret: undefined }, 401],
    ['a callback that is not registered', { redirect_uri: 'https://evil.example/' }, 400],
    ['no state', { state: undefined }, 400],
    ['a scope that the client may not have', { client_id: 'narrow', scope: 'openid PRACTITIONER_READ' }, 400],
    ['another response_type', { response_type: 'token' }, 400],
    ['a request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400],
  ])('a push with %s is refused', async (_name, fields, status) => {
    const answer = await push(fields);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toEqual(expect.any(String));
  });

  describe('a client with par: required', () => {
    const required = { client_id: 'trusted' };

    it('is refused without, and served with', async () => {
      const plain = await signedInPerson(service).visit(authorizationUrl(service, required));
      expect(plain.left?.searchParams.get('error')).toBe('invalid_request');
      const { body } = await push(required);
      expect((await open(body.request_uri, 'trusted')).left?.searchParams.get('code')).toBeTruthy();
    });

    it('another person may take over the browser on the way', async () => {
      const person = createPerson(service.issuer);
      await signIn(service, { person });
      const { body } = await push({ ...required, prompt: 'consent' });
      const consent = await person.visit(address(body.request_uri, 'trusted'));
      const login = await person.press(consent, 'other-account');
      expect(login.html).toContain('id="sign-in"');
      const next = await person.press(login, 'sign-in', CREDENTIALS);
      expect((await person.press(next, 'allow')).left?.searchParams.get('code')).toBeTruthy();
    });
  });

  it('discovery names the endpoint', async () => {
    const metadata = (await discover(service, 'server')).serverMetadata();
    expect(metadata['pushed_authorization_request_endpoint']).toBe(`${service.issuer}/oauth/par`);
    expect(metadata['request_uri_parameter_supported']).toBe(false);
    expect(metadata['require_pushed_authorization_requests'] ?? false).toBe(false);
  });
});
