// What a browser sends of a passkey, checked by @simplewebauthn/server: a new one (WebAuthn section 7.1), and a signature of one
// (section 7.2). The library is loaded when the first passkey is used: it takes as long as half of the start.

import { z } from 'zod';
import type { RelyingParty } from './relying-party.ts';

/** ES256, EdDSA and RS256 (RFC 9053): what authenticators have. */
export const ALGORITHMS = [-7, -8, -257];

const base64url = z.string().regex(/^[\w-]+$/);
const common = { id: base64url.max(1364), rawId: base64url, type: z.literal('public-key') };

const SIGNATURE = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});
export type SignatureResponse = z.infer<typeof SIGNATURE>;

const REGISTRATION = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
export type RegistrationResponse = z.infer<typeof REGISTRATION>;

/** The posted text of a signature; undefined when it has another form. */
export const readSignature = (text: string): SignatureResponse | undefined => read(SIGNATURE, text);
/** The same of a new passkey. */
export const readRegistration = (text: string): RegistrationResponse | undefined => read(REGISTRATION, text);

function read<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The challenge that was answered, as the browser says: what is signed is checked by the two functions below. */
export function challengeOf({ response }: SignatureResponse | RegistrationResponse): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
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
  const { clientDataJSON, attestationObject } = response;
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
