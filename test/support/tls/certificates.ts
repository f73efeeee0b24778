// Certificates for tests, of a fictional authority: valid, expired, for other hosts, with whatever key.

import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const DAY = 86_400_000;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

export interface Pair {
  /** PEM. */
  certificate: string;
  key: string;
  fingerprint: string;
}

export interface Authority {
  /** PEM, for clients that shall trust it. */
  certificate: string;
  issue(choices?: {
    hosts?: string[];
    /** Days from now. */
    from?: number;
    to?: number;
    forClients?: boolean;
    /** Bits of an RSA key; an EC key without it. */
    rsa?: number;
    /** Without the authority's own certificate after it. */
    alone?: boolean;
  }): Promise<Pair>;
}

export async function authority(): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const name = 'CN=Authority of the test';
  const own = await X509CertificateGenerator.createSelfSigned(
    {
      name,
      keys: keys as never,
      notAfter: new Date(Date.now() + 400 * DAY),
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    },
    webcrypto as never,
  );
  return {
    certificate: own.toString('pem'),
    issue: async ({ hosts = ['localhost', '127.0.0.1'], from = -1, to = 90, forClients, rsa, alone } = {}) => {
      const algorithm = { name: 'RSASSA-PKCS1-v1_5', publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' };
      const pair = await (rsa
        ? webcrypto.subtle.generateKey({ ...algorithm, modulusLength: rsa }, true, ['sign', 'verify'])
        : webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']));
      const certificate = await X509CertificateGenerator.create(
        {
          subject: `CN=${hosts[0]}`,
          issuer: name,
          publicKey: pair.publicKey as never,
          signingKey: keys.privateKey as never,
          notBefore: new Date(Date.now() + from * DAY),
          notAfter: new Date(Date.now() + to * DAY),
          extensions: [
            new SubjectAlternativeNameExtension(
              hosts.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
            ),
            ...(forClients ? [new ExtendedKeyUsageExtension([CLIENT_AUTHENTICATION])] : []),
          ],
        },
        webcrypto as never,
      );
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
      return {
        certificate: [certificate.toString('pem'), ...(alone ? [] : [own.toString('pem')]), ''].join('\n'),
        key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`,
        fingerprint: new X509Certificate(certificate.toString('pem')).fingerprint256,
      };
    },
  };
}

/** Writes both files of a folder; each is put in place whole. */
export function writePair(folder: string, { certificate, key }: Partial<Pair>): { certificate: string; key: string } {
  const files = { certificate: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') };
  for (const [file, text] of [
    [files.certificate, certificate],
    [files.key, key],
  ] as const) {
    if (text === undefined) continue;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return files;
}
