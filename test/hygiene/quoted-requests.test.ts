// SEC-17: what libraries quote of a request in their messages (a header, a parameter, a part of a JWT) is neither in the log nor in the
// audit trail.

import { describe, expect, it } from '@jest/globals';
import { dumpOf } from '#support/hygiene/places.ts';
import { openedForAll } from '#support/opened.ts';
import { assertion, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { CALLBACK, SECRET, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('quoted requests', () => {
  const CANARY = 'canaryofthistest';
  const key = newClientKey();
  const credentials = { client_id: 'server', client_secret: SECRET };
  const service = openedForAll(async () => {
    const [server, ...others] = await testClients();
    const signing = { ...server, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] } };
    return startService({ clients: [server, signing, ...others] as never, logLevel: 'trace' });
  });

  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(service.issuer + path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const refusals = () => service.database('audit_events').where('event', 'like', '%.refused');

  const recorded = () => until(async () => (await refusals()).length > 0, 'refusals are recorded');

  /** Nothing is left of it, and of each request there is a line or a record. */
  async function expectNoCanary(lines: number): Promise<void> {
    const tables = (await dumpOf(service.database)).map(({ content }) => String(content)).join('\n');
    const left = `${service.logged()}\n${tables}`.split('\n').filter((line) => line.includes(CANARY));
    expect(left).toEqual([]);
    expect(
      service.logged().match(/"msg":"(refused|the sign-in to an account was refused)"/g)?.length,
    ).toBeGreaterThanOrEqual(lines);
  }

  it('SEC-17 logs nothing of proofs, assertions and request objects: crit, alg, aud, broken JSON', async () => {
    const { issuer } = service;
    const { access_token: token } = (await signIn(service)).tokens;
    const headers = [
      { crit: [CANARY], [CANARY]: 1 },
      { alg: CANARY },
      { typ: CANARY },
      { crit: CANARY },
      { jwk: { alg: CANARY, kty: CANARY } },
    ];
    const grant = { grant_type: 'client_credentials' };
    const signs = signingClient(key, 'signing', 'state');
    for (const header of headers) {
      const url = `${issuer}/oauth/token`;
      await post(
        '/oauth/token',
        { ...credentials, ...grant },
        { dpop: proof(key, { method: 'POST', url }, {}, header) },
      );
      for (const path of ['/userinfo', '/directory/v2/Practitioner?name=ma']) {
        const dpop = proof(key, { url: issuer + path, token }, {}, header);
        const answer = await fetch(issuer + path, { headers: { authorization: `DPoP ${token}`, dpop } });
        expect([path, answer.status]).toEqual([path, 401]);
      }
      await post('/oauth/token', { ...assertion(key, 'signing', issuer, {}, header), ...grant });
      await signs.visit(service, signs.requestObject(service, {}, header));
      await signs.push(service, { request: signs.requestObject(service, {}, header) });
    }
    const broken = `${Buffer.from(`{"alg":"ES256","${CANARY}":${CANARY}`).toString('base64url')}.e30.AA`;
    const sent = { ...assertion(key, 'signing', issuer), client_assertion: broken };
    await post('/oauth/token', { ...sent, ...grant });
    await post('/oauth/token', { ...assertion(key, 'signing', issuer, { aud: CANARY, iss: CANARY }), ...grant });
    await post('/oauth/token', { ...credentials, ...grant }, { dpop: broken });
    await signs.visit(service, broken);
    await recorded();
    await expectNoCanary(10);
  });

  it('SEC-17 logs nothing of headers and parameters: Origin, Content-Type, claims', async () => {
    const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK };
    await post('/oauth/token', { ...credentials, ...grant }, { origin: `https://${CANARY}.example` });
    for (const type of [`text/${CANARY}`, `application/x-www-form-urlencoded; charset=${CANARY}`, 'application/json'])
      await post(`/oauth/token?${CANARY}`, { ...credentials, ...grant, [CANARY]: CANARY }, { 'content-type': type });
    for (const claims of [CANARY, `{"a":${CANARY}}`, `{"${CANARY}":1}`])
      await post('/oauth/par', {
        ...credentials,
        response_type: 'code',
        redirect_uri: CALLBACK,
        scope: 'openid',
        claims,
      });
    await recorded();
    await expectNoCanary(1);
  });

  it('SEC-17 logs nothing of the address to which a sign-in to the account space returns', async () => {
    const begun = await fetch(`${service.issuer}/account`, { redirect: 'manual' });
    const cookie = begun.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const { searchParams } = new URL(begun.headers.get('location') ?? '', service.issuer);
    const query = {
      state: searchParams.get('state') ?? '',
      error: CANARY,
      error_description: `${CANARY}\n{"level":"fatal"}`,
    };
    const back = `${searchParams.get('redirect_uri')}?${new URLSearchParams(query)}`;
    expect((await fetch(back, { headers: { cookie }, redirect: 'manual' })).status).toBe(400);
    expect(service.logged()).toContain('"msg":"the sign-in to an account was refused"');
    await expectNoCanary(1);
  });
});
