// Owns the rules of `clients.yaml` on how a client proves who it is (secrets or keys, by type), and on apis.
// Does not own callbacks and the like (`client-rules.ts`) nor the value of any secret (`client-secrets.ts`).

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { ClientSettings } from '../settings.ts';
import { type AddressFault, outgoingFault, type Reach } from './addresses.ts';
import type { KeyPath } from './yaml-file.ts';

type Entry = Readonly<Record<string, unknown>>;
type Add = (path: KeyPath, fault: AddressFault) => void;

/** A server or an api has secrets or keys, and never both; public clients have neither. */
export function checkProofOfIdentity(entry: Entry, type: ClientSettings['type'], reach: Reach, add: Add): void {
  const secrets = Array.isArray(entry['secrets']) ? entry['secrets'].length : 0;
  const keys = ['jwks', 'jwksUrl'].filter((key) => entry[key] !== undefined);
  const [first] = keys;
  if (type === 'browser' || type === 'native') {
    if (secrets > 0) {
      const problem = `A client of type ${type} cannot keep a secret.`;
      add(['secrets'], { problem, remedy: 'Remove secrets (PKCE protects it), or make it a server.' });
    }
    for (const key of keys) {
      const problem = `A client of type ${type} cannot keep a private key.`;
      add([key], { problem, remedy: `Remove ${key} (PKCE protects it), or make it a server.` });
    }
    return;
  }
  if (secrets === 0 && first === undefined && Array.isArray(entry['secrets'])) {
    const remedy =
      'Run `hygie clients secret` and put the printed hash under secrets; or give its public keys as jwks.';
    add(['secrets'], { problem: `A client of type ${type} needs one secret, or two.`, remedy });
  }
  if (secrets > 0 && first !== undefined) {
    const remedy = `Remove one of them: with ${first} the client signs, and its secrets would not be asked for.`;
    add([first], { problem: 'Has both secrets and keys.', remedy });
  }
  if (keys.length > 1) add(['jwksUrl'], { problem: 'Has both jwks and jwksUrl.', remedy: 'Keep one of them.' });
  if (typeof entry['jwksUrl'] === 'string') add(['jwksUrl'], outgoingFault(entry['jwksUrl'], reach));
  const listed = (entry['jwks'] as { keys?: unknown } | undefined)?.keys;
  for (const [place, key] of (Array.isArray(listed) ? listed : []).entries()) {
    add(['jwks', 'keys', place], publicKeyFault(key));
  }
}

/** Nobody signs in to an api, and it asks for nothing: it says which scopes it serves. */
export function checkApi(entry: Entry, add: Add): void {
  const given = (value: unknown) => value !== undefined && value !== false && !(Array.isArray(value) && !value.length);
  for (const key of ['callbackUrls', 'logoutUrls', 'backchannelLogoutUrl', 'serviceAccount', 'par', 'dpop', 'rate']) {
    if (!given(entry[key])) continue;
    add([key], { problem: 'Nobody signs in to a client of type api.', remedy: `Remove ${key}, or make it a server.` });
  }
  if (entry['consent'] === 'trusted') {
    add(['consent'], { problem: 'Nobody is asked for consent to a client of type api.', remedy: 'Remove consent.' });
  }
  const scopes = entry['scopes'];
  if (!Array.isArray(scopes) || scopes.length === 0) {
    const remedy = 'List the scopes that it serves: it is told of tokens that hold one of them.';
    add(['scopes'], { problem: 'An api without scopes could ask about no token.', remedy });
  }
}

const KINDS = 'Give an RSA key of 2048 bits or more, a P-256 or an Ed25519 key.';

function publicKeyFault(key: unknown): AddressFault {
  if (typeof key !== 'object' || key === null) return undefined;
  if (['d', 'p', 'q', 'k', 'priv'].some((member) => Object.hasOwn(key, member))) {
    const remedy = 'Put the public key here (without d), and make a new pair: this one has been written down.';
    return { problem: 'Is a private key (its value is not shown).', remedy };
  }
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      key: key as JsonWebKey,
      format: 'jwk',
    });
    const fits =
      type === 'ed25519' ||
      (type === 'ec' && details?.namedCurve === 'prime256v1') ||
      (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048);
    return fits ? undefined : { problem: 'Is a kind of key that is not used here.', remedy: KINDS };
  } catch {
    return { problem: 'Is no public key in the form of a JWK.', remedy: KINDS };
  }
}
