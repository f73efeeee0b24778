// SEC-38 as a relying party reads it: the demo believes a logout token of the service, once, and no other (Back-Channel Logout 1.0,
// section 2.6).

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { InvalidLogoutToken, logoutTokenCheck } from '#demo/logout-token.ts';

const ISSUER = 'https://hygie.example';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let server: Server;
let key: CryptoKey;
let stranger: CryptoKey;
/** Counts up, so that each token has an id of its own. */
let made = 0;
const makeCheck = () => {
  const { port } = server.address() as AddressInfo;
  const jwksUri = `http://127.0.0.1:${port}/jwks`;
  return logoutTokenCheck({ issuer: ISSUER, clientId: 'demo', jwksUri, algorithms: ['RS256'] });
};

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  key = pair.privateKey;
  stranger = (await generateKeyPair('RS256')).privateKey;
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] });
  server = createServer((_req, res) => res.setHeader('content-type', 'application/json').end(jwks));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const now = () => Math.floor(Date.now() / 1000);

/** A good token; `claims` differ from it, and undefined takes one away. */
async function token(claims: Record<string, unknown> = {}, header: object = {}, by: CryptoKey = key): Promise<string> {
  made += 1;
  const own = {
    iss: ISSUER,
    aud: 'demo',
    iat: now(),
    exp: now() + 120,
    jti: `jti-${made}`,
    sub: 'person',
    sid: 'session',
  };
  return new SignJWT({ ...own, events: { [EVENT]: {} }, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt', ...header })
    .sign(by);
}

describe('SEC-38 a logout token at the demo', () => {
  it('is taken once', async () => {
    const check = makeCheck();
    const good = await token();
    expect((await check(good)).claims).toMatchObject({ sub: 'person', sid: 'session' });
    await expect(check(good)).rejects.toThrow(new InvalidLogoutToken('it was received before'));
    // For a person, or for a session.
    expect((await check(await token({ sid: undefined }))).claims.sub).toBe('person');
    expect((await check(await token({ sub: undefined }))).claims.sid).toBe('session');
  });

  it.each<[string, () => Promise<string>]>([
    ['of another issuer', () => token({ iss: 'https://elsewhere.example' })],
    ['for another application', () => token({ aud: 'other' })],
    ['that is old, however long it says it lives', () => token({ iat: now() - 400, exp: now() + 4000 })],
    ['that has expired', () => token({ exp: now() - 60 })],
    ['without a time', () => token({ iat: undefined })],
    ['without an end', () => token({ exp: undefined })],
    ['without an id', () => token({ jti: undefined })],
    ['without an event', () => token({ events: undefined })],
    ['about another event', () => token({ events: { 'http://schemas.openid.net/event/other': {} } })],
    ['about nobody', () => token({ sub: undefined, sid: undefined })],
    ['with a nonce', () => token({ nonce: 'n' })],
    ['that is an ID token', () => token({}, { typ: 'JWT' })],
    ['signed by a stranger', () => token({}, {}, stranger)],
    ['that is none', () => Promise.resolve('a.b.c')],
  ])('%s is refused', async (_what, make) => {
    await expect(makeCheck()(await make())).rejects.toThrow(InvalidLogoutToken);
  });

  it('is not refused for good while the public keys cannot be read: the service sends it again', async () => {
    const jwksUri = 'http://127.0.0.1:9/jwks';
    const check = logoutTokenCheck({ issuer: ISSUER, clientId: 'demo', jwksUri, algorithms: ['RS256'] });
    await expect(check(await token())).rejects.not.toThrow(InvalidLogoutToken);
  });
});
