// Attestation statements that make @simplewebauthn/server open a connection: what a client sends that was asked for none.

import 'reflect-metadata';
import { createHash, createPublicKey, webcrypto } from 'node:crypto';
import { CRLDistributionPointsExtension, Extension, type PublicKey, X509CertificateGenerator } from '@peculiar/x509';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import type { SoftwarePasskey } from './software-authenticator.ts';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';

export type Statement = Map<string, unknown>;

/** The same answer to the options of a page with another attestation. */
export function attested(answer: string, format: string, statement: Statement): string {
  const { response, ...rest } = JSON.parse(answer);
  const authData = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url')).get('authData');
  const parts = new Map<string, unknown>([
    ['fmt', format],
    ['attStmt', statement],
    ['authData', authData],
  ]);
  const attestationObject = Buffer.from(isoCBOR.encode(parts as never)).toString('base64url');
  return JSON.stringify({ ...rest, response: { ...response, attestationObject } });
}

/** Of the format `android-key`, for this passkey: its certificate names `address` as the place of its revocation list. */
export async function androidKeyStatement(
  answer: string,
  passkey: SoftwarePasskey,
  address: string,
): Promise<Statement> {
  const { subtle } = webcrypto;
  const issuing = await subtle.generateKey(EC, true, ['sign', 'verify']);
  const root = await X509CertificateGenerator.createSelfSigned(
    { name: 'CN=Root', keys: issuing as never },
    webcrypto as never,
  );
  const challenge = createHash('sha256')
    .update(Buffer.from(JSON.parse(answer).response.clientDataJSON, 'base64url'))
    .digest();
  // Android Keystore's KeyDescription, with nothing but the challenge.
  const description = Buffer.concat([
    Buffer.from('30340201030a01000201040a01000420', 'hex'),
    challenge,
    Buffer.from('040030003000', 'hex'),
  ]);
  const jwk = createPublicKey(passkey.privateKey).export({ format: 'jwk' });
  const leaf = await X509CertificateGenerator.create(
    {
      subject: 'CN=Leaf',
      issuer: root.subject,
      publicKey: (await subtle.importKey('jwk', jwk, EC, true, ['verify'])) as unknown as PublicKey,
      signingKey: issuing.privateKey as never,
      extensions: [new Extension(KEY_DESCRIPTION, false, description), new CRLDistributionPointsExtension([address])],
    },
    webcrypto as never,
  );
  return new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(70)],
    ['x5c', [leaf, root].map(({ rawData }) => new Uint8Array(rawData))],
  ]);
}
