// An authenticator in software, for answers that no real one and no browser gives: another origin, without user verification, a counter
// that goes back. It makes what WebAuthn Level 3 section 6 describes, by Node's own cryptography.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What may be wrong with an answer. */
export interface Flaws {
  origin?: string;
  rpId?: string;
  /** `false`: the person only touched the device. */
  verified?: boolean;
  type?: string;
  counter?: number;
  userHandle?: string | undefined;
  /** Signed by another key. */
  forged?: boolean;
  /** Says that extensions follow the key, of which there are none. */
  extended?: boolean;
  /** Model of the authenticator. */
  aaguid?: string;
}

export interface SoftwarePasskey {
  id: string;
  userHandle: string;
  counter: number;
  privateKey: KeyObject;
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40, extended: 0x80 };
const AAGUID = 'bada5566-a7aa-401f-bd96-45619a55120d';

/** An authenticator for the site at `issuer`. */
export function softwareAuthenticator(issuer: string) {
  const { origin: siteOrigin, hostname } = new URL(issuer);
  const clientData = (type: string, challenge: string, { origin = siteOrigin }: Flaws) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const head = (flags: number, counter: number, { rpId = hostname, verified = true }: Flaws) => {
    const bytes = Buffer.alloc(37);
    sha256(rpId).copy(bytes);
    bytes[32] = flags | FLAGS.present | (verified ? FLAGS.verified : 0);
    bytes.writeUInt32BE(counter, 33);
    return bytes;
  };

  return {
    /** The answer to the options of a page that makes a passkey, and the passkey. */
    create: (
      { challenge, user }: { challenge: string; user: { id: string } },
      flaws: Flaws & { id?: string } = {},
    ): { answer: string; passkey: SoftwarePasskey } => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const id = flaws.id ? Buffer.from(flaws.id, 'base64url') : randomBytes(32);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      // COSE_Key of ES256 (RFC 9053 section 7.1.1): {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const counter = flaws.counter ?? 0;
      const authData = Buffer.concat([
        head(FLAGS.attested | FLAGS.eligible | FLAGS.backedUp | (flaws.extended ? FLAGS.extended : 0), counter, flaws),
        Buffer.from((flaws.aaguid ?? AAGUID).replaceAll('-', ''), 'hex'),
        length,
        id,
        key,
      ]);
      // {"fmt": "none", "attStmt": {}, "authData": bytes}
      const size = Buffer.from([0x58, authData.length]);
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        size,
        authData,
      ]);
      const response = {
        clientDataJSON: base64url(clientData(flaws.type ?? 'webauthn.create', challenge, flaws)),
        attestationObject: base64url(attestationObject),
        transports: ['internal'],
      };
      const name = base64url(id);
      return {
        answer: JSON.stringify({ id: name, rawId: name, type: 'public-key', response }),
        passkey: { id: name, userHandle: user.id, counter, privateKey },
      };
    },
    /** The answer to the options of a page that asks for a passkey. */
    get: ({ challenge }: { challenge: string }, passkey: SoftwarePasskey, flaws: Flaws = {}): string => {
      const data = clientData(flaws.type ?? 'webauthn.get', challenge, flaws);
      const authenticatorData = head(FLAGS.eligible | FLAGS.backedUp, flaws.counter ?? passkey.counter, flaws);
      const key = flaws.forged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : passkey.privateKey;
      const userHandle = 'userHandle' in flaws ? flaws.userHandle : passkey.userHandle;
      const response = {
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), key)),
        ...(userHandle !== undefined && { userHandle }),
      };
      return JSON.stringify({ id: passkey.id, rawId: passkey.id, type: 'public-key', response });
    },
  };
}

/** The options that a page hands to its script. */
export function optionsIn({ html }: { html: string }): {
  challenge: string;
  user: { id: string };
  [name: string]: unknown;
} {
  const attribute = /data-options="([^"]*)"/.exec(html)?.[1] ?? '';
  if (!attribute) throw new Error(`no page for passkeys:\n${html.slice(0, 2000)}`);
  return JSON.parse(attribute.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}
