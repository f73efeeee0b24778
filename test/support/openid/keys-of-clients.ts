// Keys that test clients hold: assertions (RFC 7523) and proofs of possession (RFC 9449), signed with Node alone so that
// each part can be made wrong.

import { constants, createHmac, generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto';

export interface ClientKey {
  privateKey: KeyObject;
  /** Public, with `kid` and `alg`. */
  jwk: Record<string, string>;
}

/** A new key for one algorithm. */
export function newClientKey(alg: 'ES256' | 'ES384' | 'EdDSA' | 'RS256' | 'RS384' = 'ES256'): ClientKey {
  const pair =
    alg === 'ES256' || alg === 'ES384'
      ? generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...(pair.publicKey.export({ format: 'jwk' }) as Record<string, string>), kid: randomUUID(), alg };
  return { privateKey: pair.privateKey, jwk };
}

/** A signed JWT. A header with alg `none` or `HS256` gives what an attacker would send. */
export function jwt({ privateKey, jwk }: ClientKey, header: object, payload: object): string {
  const whole = { alg: jwk['alg'], ...header } as { alg: string };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const data = `${encode(whole)}.${encode(payload)}`;
  if (whole.alg === 'none') return `${data}.`;
  if (whole.alg === 'HS256') return `${data}.${createHmac('sha256', 'secret').update(data).digest('base64url')}`;
  const digestName = jwk['alg'] === 'EdDSA' ? null : whole.alg.endsWith('384') ? 'sha384' : 'sha256';
  const padding = whole.alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const, ...padding };
  return `${data}.${sign(digestName, Buffer.from(data), key).toString('base64url')}`;
}

const now = () => Math.floor(Date.now() / 1000);

/** Form fields of a client that proves who it is by a signed assertion; `claims` replaces parts of it. */
export function assertion(key: ClientKey, clientId: string, audience: string, claims: object = {}, header = {}) {
  const payload = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat: now(), exp: now() + 60 };
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: jwt(key, { kid: key.jwk['kid'], ...header }, { ...payload, ...claims }),
  };
}

/** A proof of possession for one request; `claims` and `header` replace parts of it. */
export function proof(
  key: ClientKey,
  { method = 'GET', url, token }: { method?: string; url: string; token?: string },
  claims: object = {},
  header: object = {},
): string {
  const { kid: _kid, alg: _alg, ...jwk } = key.jwk;
  const ath = token === undefined ? {} : { ath: hash('sha256', token, 'base64url') };
  const payload = { jti: randomUUID(), htm: method, htu: url.split('?')[0], iat: now(), ...ath, ...claims };
  return jwt(key, { typ: 'dpop+jwt', jwk, ...header }, payload);
}
