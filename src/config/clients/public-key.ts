// Which public keys may stand under `jwks` of a client, and what is wrong with any other. No part of a private key is repeated.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { Problem } from '../configuration-error.ts';
import { shown } from '../configuration-error.ts';

type Key = Readonly<Record<string, unknown>>;

const KINDS = 'Give an RSA key of 2048 bits or more, a P-256 or an Ed25519 key.';
const COPY_AGAIN = 'Copy the whole public key again.';

/** What is wrong with an entry of `jwks.keys`; undefined for a key that can be used. */
export function publicKeyProblem(key: unknown): Problem | undefined {
  if (typeof key !== 'object' || key === null) return undefined;
  if (['d', 'p', 'q', 'k', 'priv'].some((member) => Object.hasOwn(key, member))) {
    const remedy = 'Put the public key here (without d), and make a new pair: this one has been written down.';
    return { problem: 'Is a private key (its value is not shown).', remedy };
  }
  return formProblem(key as Key) ?? cryptographyProblem(key as Key);
}

/** The numbers of each kind of key, with the bytes that each has where that is fixed. */
function numbersOf({ kty, crv }: Key): Record<string, number | undefined> | undefined {
  if (kty === 'RSA') return { n: undefined, e: undefined };
  if (kty === 'EC' && crv === 'P-256') return { x: 32, y: 32 };
  if (kty === 'OKP' && crv === 'Ed25519') return { x: 32 };
  return undefined;
}

function formProblem(key: Key): Problem | undefined {
  if (key['kty'] === undefined) return { problem: 'Has no kty: is no key in the form of a JWK.', remedy: KINDS };
  const numbers = numbersOf(key);
  if (!numbers) {
    if (key['kty'] !== 'EC' && key['kty'] !== 'OKP') {
      return { problem: `Its kind (kty), ${shown(key['kty'])}, is not used here.`, remedy: KINDS };
    }
    if (key['crv'] === undefined) return { problem: 'Has no curve (crv).', remedy: COPY_AGAIN };
    return { problem: `Its curve (crv), ${shown(key['crv'])}, is not used here.`, remedy: KINDS };
  }
  for (const [name, bytes] of Object.entries(numbers)) {
    const value = key[name];
    if (value === undefined) return { problem: `Has no ${name}.`, remedy: COPY_AGAIN };
    if (typeof value !== 'string') return { problem: `Its ${name} is no text.`, remedy: 'Put it in quotation marks.' };
    if (!/^[\w-]+$/.test(value)) return { problem: `Its ${name} is not in base64url.`, remedy: COPY_AGAIN };
    const found = Buffer.from(value, 'base64url').length;
    if (bytes !== undefined && found !== bytes) {
      return { problem: `Its ${name} has ${found} bytes where ${bytes} belong.`, remedy: COPY_AGAIN };
    }
  }
  return undefined;
}

function cryptographyProblem(key: Key): Problem | undefined {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    const bits = asymmetricKeyDetails?.modulusLength;
    return bits !== undefined && bits < 2048 ? { problem: `Has ${bits} bits.`, remedy: KINDS } : undefined;
  } catch {
    const numbers = Object.keys(numbersOf(key) ?? {}).join(' and ');
    return { problem: `Its ${numbers} make no ${key['crv'] ?? key['kty']} key.`, remedy: COPY_AGAIN };
  }
}
