// SEC-44: JSON nested thousands deep, wherever a request may carry JSON: a 4xx that says so, and never a 5xx. What walks through such
// a value by calling itself runs out of stack.

import { sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { assertion, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, obtainCode, redeem, signedInPerson } from '#support/openid/relying-party.ts';
import { CALLBACK, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

const key = newClientKey();
const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
const text = (depth: number) => `{"id_token":{"acr":{"value":${'['.repeat(depth)}${']'.repeat(depth)}}}}`;

/** Base64url of JSON that `JSON.stringify` could not write. */
const jwtWith = (depth: number, header: object, claims: object): string => {
  const [head = '', body = ''] = [header, claims].map((part) => JSON.stringify(part));
  const deep = body.replace(/\}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  return [head, deep].map((part) => Buffer.from(part).toString('base64url')).join('.');
};

let service: RunningService;
beforeAll(async () => {
  const machine = (await testClients()).find(({ id }) => id === 'trusted') as ClientSettings;
  const signing = { ...machine, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] } };
  service = await startService({ clients: [...(await testClients()), signing] });
  await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
});
afterAll(() => service.stop());

describe('SEC-44 nested JSON', () => {
  const claimsPushed = async (claims: string) => {
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 's'.repeat(30) };
    const body = new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...request, claims });
    const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };

  it.each([20, 2500, 6000, 20_000])('claims of %i levels, pushed', async (depth) => {
    const answer = await claimsPushed(text(depth));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('the refusal names the limit', async () => {
    expect((await claimsPushed(text(20))).text).toContain('claims is nested more than 8 levels deep');
    expect((await claimsPushed(text(1))).status).toBe(201);
  });

  it('claims of 1,000 levels in an address', async () => {
    const url = authorizationUrl(service, { scope: 'openid', claims: text(1000) });
    const { left } = await signedInPerson(service).visit(url);
    expect(left?.searchParams.get('error')).toBe('invalid_request');
  });

  // The first of them is as long as an assertion may be.
  it.each([
    [2880, 200],
    [3100, 401],
    [6000, 401],
  ])('a client assertion of %i levels', async (depth, status) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: 'signing', sub: 'signing', aud: service.issuer, jti: `deep-${depth}`, exp: now + 60 };
    const data = jwtWith(depth, { alg: 'ES256', kid: key.jwk['kid'] }, claims);
    const signature = sign('sha256', Buffer.from(data), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
    const body = new URLSearchParams({
      ...assertion(key, 'signing', service.issuer),
      client_assertion: `${data}.${signature.toString('base64url')}`,
      token: 'x',
    });
    const answer = await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', body });
    expect(answer.status).toBe(status);
  });

  it('a proof of possession of 2,000 levels, in its key and in its claims', async () => {
    const { kid: _kid, alg: _alg, ...jwk } = key.jwk;
    const url = `${service.issuer}/oauth/token`;
    for (const dpop of [
      proof(key, { method: 'POST', url }, {}, { jwk: { ...jwk, x5c: nested(2000) } }),
      proof(key, { method: 'POST', url }, { deep: nested(2000) }),
    ]) {
      const { status } = await redeem(service, await obtainCode(service), {}, { dpop });
      expect(status).toBeLessThan(500);
    }
  });
});
