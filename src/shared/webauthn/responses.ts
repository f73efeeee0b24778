// Checks a browser's passkey responses with @simplewebauthn/server: a new passkey (WebAuthn section 7.1), and a signature (section 7.2).
// Loading the library takes half as long as the start of the service, so it is loaded only when the first passkey is used. The library
// never gets an attestation statement, because it would use the network to check one. It also gets no more bytes than an authenticator
// makes (SEC-71, SEC-73).

import { z } from 'zod';
import type { RelyingParty } from './relying-party.ts';

/** The algorithms of authenticators: ES256, EdDSA and RS256 (RFC 9053). */
export const ALGORITHMS = [-7, -8, -257];

/**
 * Maximum characters of a part of a response. The parts that authenticators make have some hundreds, and more only if they contain the id
 * of a passkey.
 */
const LONGEST = 2732;
const base64url = z
  .string()
  .max(LONGEST)
  .regex(/^[\w-]+$/);
const common = { id: base64url.max(1364), rawId: base64url, type: z.literal('public-key') };

const SIGNATURE = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.max(86).nullish(),
  }),
});
export type SignatureResponse = z.infer<typeof SIGNATURE>;

const REGISTRATION = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    // The maximum is twice as large here, because this part may have an attestation statement, which some authenticators add without being
    // asked. The maximum also limits how deep the CBOR in this part can be nested.
    attestationObject: z.string().max(2 * LONGEST),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
type RegistrationResponse = z.infer<typeof REGISTRATION>;

/** Parses the posted text of a signature; undefined if it has another form. */
export const readSignature = (text: string): SignatureResponse | undefined => read(SIGNATURE, text);
/** Parses the posted text of a new passkey; undefined if it has another form. */
export const readRegistration = (text: string): RegistrationResponse | undefined => read(REGISTRATION, text);

function read<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Returns the challenge that the browser says it answered. This proves nothing: `verifySignature` and `verifyRegistration` check the signed
 * data.
 */
export function challengeOf(response: SignatureResponse | RegistrationResponse): string {
  const { challenge } = clientDataOf(response);
  return typeof challenge === 'string' ? challenge : '';
}

/**
 * Returns the reason of a refusal, for the log. It is not the library's own message, because that quotes text from the request (SEC-17).
 */
export function refusalOf(
  response: SignatureResponse | RegistrationResponse,
  { origin }: RelyingParty,
  { name }: Error,
): string {
  const elsewhere = clientDataOf(response)['origin'] !== origin;
  return elsewhere ? `it was made at another origin than ${origin}` : `it does not verify (${name})`;
}

function clientDataOf({ response }: SignatureResponse | RegistrationResponse): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()));
  } catch {
    return {};
  }
}

/**
 * Checks a signature with the public key and returns the authenticator's counter. Rejects with the library's error if the signature is not
 * valid.
 */
export async function verifySignature(
  { id, rawId, type, response }: SignatureResponse,
  { publicKey, relyingParty }: { publicKey: string; relyingParty: RelyingParty },
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle, ...signed } = response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { id, rawId, type, response: signed, clientExtensionResults: {} },
    expectedChallenge: challengeOf({ id, rawId, type, response }),
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    // With the counter 0, the library does not compare counters. The store does, in the same step in which it keeps the new counter
    // (`store/accounts/factors/passkeys.ts`).
    credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
    requireUserVerification: true,
  });
  if (!verified) throw new Error('the signature is not of this passkey');
  return authenticationInfo.newCounter;
}

/** Checks a new passkey and returns the facts to store. Rejects with the library's error if the response is not valid. */
export async function verifyRegistration(
  { id, rawId, type, response }: RegistrationResponse,
  relyingParty: RelyingParty,
): Promise<{ credentialId: string; publicKey: string; counter: number; synced: boolean; aaguid: string }> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const { clientDataJSON } = response;
  // Removes the attestation statement: the library gets the form that browsers make if no attestation was requested.
  const authData = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url')).get('authData');
  const bare = new Map(Object.entries({ fmt: 'none', attStmt: new Map(), authData }));
  const attestationObject = Buffer.from(isoCBOR.encode(bare)).toString('base64url');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: challengeOf({ id, rawId, type, response }),
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: true,
  });
  if (!verified) throw new Error('the attestation does not hold');
  const { credential, credentialDeviceType, aaguid } = registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    synced: credentialDeviceType === 'multiDevice',
    aaguid,
  };
}
