// Owns the keys of the provider: made on the first start, kept in the database, shared by all instances.
// Does not own the table (`src/store/service-keys.ts`).

import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';
import { digest } from '../shared/digest.ts';
import type { ServiceKeys } from '../store/service-keys.ts';

export interface ProviderKeys {
  /** Private JWKs; the first one signs. */
  signing: JWK[];
  /** Secrets that sign cookies; the first one signs, all verify. */
  cookies: string[];
}

/** The keys in force; on an empty database they are created first. */
export async function loadKeys(keys: ServiceKeys): Promise<ProviderKeys> {
  const [signing, cookies] = await Promise.all([keys.list('signing'), keys.list('cookies')]);
  if (signing.length === 0) await keys.addFirst('signing', await newSigningKey());
  if (cookies.length === 0) await keys.addFirst('cookies', newCookieKey());
  if (signing.length === 0 || cookies.length === 0) return loadKeys(keys);
  return {
    signing: signing.map(({ material }) => JSON.parse(material) as JWK),
    cookies: cookies.map(({ material }) => material),
  };
}

/** RSA of 2048 bits for RS256, the algorithm every relying party knows (OpenID Connect Core, section 15.1). */
async function newSigningKey(): Promise<{ id: string; material: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const jwk = privateKey.export({ format: 'jwk' });
  const id = digest(String(jwk.n)).slice(0, 16);
  return { id, material: JSON.stringify({ ...jwk, kid: id, alg: 'RS256', use: 'sig' }) };
}

function newCookieKey(): { id: string; material: string } {
  return { id: randomBytes(12).toString('base64url'), material: randomBytes(32).toString('base64url') };
}
