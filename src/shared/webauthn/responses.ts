// What a browser sends of a passkey, checked by @simplewebauthn/server: a new one (WebAuthn section 7.1), and a signature of one
// (section 7.2). The library is loaded when the first passkey is used: it takes as long as half of the start. It sees no attestation
// statement, for which it would ask the network, and no more bytes than an authenticator makes (SEC-71, SEC-73).

import { z } from 'zod';
import type { RelyingParty } from './relying-party.ts';

/** ES256, EdDSA and RS256 (RFC 9053): what authenticators have. */
export const ALGORITHMS = [-7, -8, -257];

/** Characters of a part: authenticators make some hundreds, besides the id of a passkey. */
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
    // With a statement, which some add without being asked. CBOR is nested no deeper than it is long.
    attestationObject: z.string().max(2 * LONGEST),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
export type RegistrationResponse = z.infer<typeof REGISTRATION>;

/** The posted text of a signature; undefined when it has another form. */
export const readSignature = (text: string): SignatureResponse | undefined => read(SIGNATURE, text);
/** Reads the response of a browser that made a new passkey. */
export const readRegistration = (text: string): RegistrationResponse | undefined => read(REGISTRATION, text);

function read<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The challenge that was answered, as the browser says: what is signed is checked by the two functions below. */
export function challengeOf(response: SignatureResponse | RegistrationResponse): string {
  const { challenge } = clientDataOf(response);
  return typeof challenge === 'string' ? challenge : '';
}

/** Why an answer was refused, for the log: the library's own messages quote what was sent, whatever that is (SEC-17). */
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

/** Checks a signature by the key; returns the authenticator's counter. Rejects with the library's reason. */
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
    // Compared by the store, in the step that keeps the new one (`passkeys.ts`).
    credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
    requireUserVerification: true,
  });
  if (!verified) throw new Error('the signature is not of this passkey');
  return authenticationInfo.newCounter;
}

/** Checks a new passkey. Rejects with the library's reason. */
export async function verifyRegistration(
  { id, rawId, type, response }: RegistrationResponse,
  relyingParty: RelyingParty,
): Promise<{ credentialId: string; publicKey: string; counter: number; synced: boolean; aaguid: string }> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const { clientDataJSON } = response;
  // As browsers make it where no attestation was asked for.
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
