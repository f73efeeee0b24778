// Reads the certificate of `listen.tls` and its private key, and reports every reason why they cannot be used. The command `check` and the
// start of the service use these reports. Also tells whether the renewal of the certificate is late.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { ConfigIssue, Problem } from '#config/configuration-error.ts';
import type { Settings } from '#config/settings.ts';
import type { KnownSettings } from './load-settings.ts';

/** A certificate with the certificates of its issuers, and with its private key. */
export interface Certificate {
  /** The certificate of the service, followed by the certificates of the authorities that issued it, in PEM. */
  chain: string;
  /** The private key, in PEM. */
  key: string;
  validFrom: Date;
  validTo: Date;
  /** SHA-256 fingerprint of the certificate of the service, in hexadecimal with colons. */
  fingerprint: string;
  /** The host names and IP addresses for which the certificate is valid, as the certificate lists them. */
  names: string;
  /** True if the file holds only the certificate of the service, without that of the authority that issued it. */
  standsAlone: boolean;
}

interface CertificateReading {
  /** Absent if the service cannot use the files at all. */
  certificate?: Certificate;
  /**
   * Each issue names the file that it concerns. There may be issues although `certificate` is present: the service could then use the
   * certificate, but clients would reject it because of its time, its host or its purpose.
   */
  issues: ConfigIssue[];
}

type TlsFiles = NonNullable<Settings['listen']['tls']>;
type HostSettings = Pick<KnownSettings, 'issuer' | 'directory' | 'proxies'>;

const BLOCK = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
const ENCRYPTED = /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: *4, *ENCRYPTED/;
/**
 * Extended key usages that clients accept in the certificate of a server (RFC 5280 section 4.2.1.12): server authentication, and any
 * purpose.
 */
const SERVER = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/** Reads and checks the files of the certificate and of the private key. `now` is in milliseconds since the epoch. */
export async function readCertificate(
  files: TlsFiles,
  settings: HostSettings,
  now = Date.now(),
): Promise<CertificateReading> {
  const [chain, key] = await Promise.all([contentOf(files.certificate, parseChain), contentOf(files.key, parseKey)]);
  const issues = [chain, key].flatMap((one) => ('issue' in one ? [one.issue] : []));
  if ('issue' in chain) return { issues };
  const [leaf] = chain.content;
  const at = (problem: string, remedy: string) => issues.push({ file: files.certificate, path: '', problem, remedy });
  judge(leaf, settings, now, at);
  if ('issue' in key) return { issues };
  if (!leaf.checkPrivateKey(key.content.object))
    return { issues: [mismatch(files, chain.content, key.content.object)] };
  const certificate = {
    chain: chain.content.map(String).join(''),
    key: key.content.text,
    validFrom: leaf.validFromDate,
    validTo: leaf.validToDate,
    fingerprint: leaf.fingerprint256,
    names: leaf.subjectAltName ?? '',
    standsAlone: chain.content.length === 1 && !leaf.checkIssued(leaf),
  };
  try {
    createSecureContext({ cert: certificate.chain, key: certificate.key });
  } catch (error) {
    at(
      `Cannot be used (${(error as Error).message}).`,
      'Renew certificate and key: RSA of 2048 bits or more, or ECDSA P-256.',
    );
    return { issues };
  }
  return { certificate, issues };
}

type Parsed<Value> = { content: Value } | Problem;

async function contentOf<Value>(file: string, parse: (text: string) => Parsed<Value>) {
  const parsed = await readFile(file, 'utf8').then(parse, unreadable);
  return 'content' in parsed ? parsed : { issue: { file, path: '', ...parsed } };
}

function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'ENOENT') {
    const remedy = 'Put it there, or mend listen.tls (HYGIE_TLS_CERTIFICATE, HYGIE_TLS_KEY).';
    return { problem: 'There is no such file.', remedy };
  }
  const remedy = 'Give the account that runs Hygie, and no other, the right to read it.';
  return { problem: `Cannot be read (${code}).`, remedy };
}

function parseChain(text: string): Parsed<[X509Certificate, ...X509Certificate[]]> {
  const remedy =
    'Name the file with the certificate and its chain in PEM (fullchain.pem of certbot, tls.crt of Kubernetes).';
  const [first, ...others] = text.match(BLOCK) ?? [];
  if (first === undefined) return { problem: 'Holds no certificate in PEM.', remedy };
  try {
    return { content: [new X509Certificate(first), ...others.map((block) => new X509Certificate(block))] };
  } catch {
    return { problem: 'Holds a certificate that is damaged.', remedy };
  }
}

function parseKey(text: string): Parsed<{ text: string; object: KeyObject }> {
  if (ENCRYPTED.test(text)) {
    const remedy = 'Store it without one, for the service alone: openssl pkey -in KEY -out NEW, then chmod 600 NEW.';
    return { problem: 'Needs a passphrase, which nobody could type at a restart.', remedy };
  }
  try {
    return { content: { text, object: createPrivateKey(text) } };
  } catch {
    const remedy = 'Name the file with the private key in PEM (privkey.pem of certbot, tls.key of Kubernetes).';
    return { problem: 'Holds no private key in PEM.', remedy };
  }
}

function mismatch({ certificate, key }: TlsFiles, chain: readonly X509Certificate[], object: KeyObject): ConfigIssue {
  const own = chain.findIndex((one) => one.checkPrivateKey(object));
  if (own > 0) {
    const remedy = 'Put the certificate of the service first, then the one that issued it, and so on.';
    return {
      file: certificate,
      path: '',
      problem: `The certificate of the key is number ${own + 1} of the file.`,
      remedy,
    };
  }
  const remedy = 'Name the key that the certificate was requested with. While both are renewed, this passes.';
  return { file: key, path: '', problem: `Does not belong to the certificate in ${certificate}.`, remedy };
}

/** Calls `fault` for each property of the certificate that makes clients reject it. */
function judge(
  leaf: X509Certificate,
  { issuer, directory, proxies }: HostSettings,
  now: number,
  fault: (problem: string, remedy: string) => void,
): void {
  const renew = 'Renew it; a running service takes the new one by itself.';
  if (now > leaf.validToDate.getTime()) fault(`Expired on ${leaf.validToDate.toISOString()}.`, renew);
  if (now < leaf.validFromDate.getTime()) {
    fault(`Is not valid before ${leaf.validFromDate.toISOString()}.`, 'Wait, or look at the clock of this machine.');
  }
  if (leaf.keyUsage && !leaf.keyUsage.some((oid) => SERVER.includes(oid))) {
    fault('Is not for servers (extended key usage).', 'Request one with the purpose serverAuth.');
  }
  // Behind a proxy, clients see the proxy's certificate and not this one. So the host names are checked only if it is certain that there is
  // no proxy.
  if (proxies !== 0) return;
  const addresses = [issuer, directory.url].filter((address) => address !== undefined);
  const hosts = addresses.map((address) => new URL(address).hostname.replace(/^\[|\]$/g, ''));
  for (const host of new Set(hosts)) {
    // Only the alternative names of the certificate are checked, because browsers ignore its subject.
    const holds = isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host, { subject: 'never' });
    if (holds !== undefined) continue;
    const names = leaf.subjectAltName ?? 'no name at all';
    fault(`Is not for ${host}: it has ${names}.`, `Request one with the alternative name ${host}, or mend issuer.`);
  }
}

const DAY = 86_400_000;
/**
 * The renewal of a certificate is late if two things are true: the certificate expires in less than two weeks (`LATE`), and less than a
 * fifth of its lifetime is left (`LATE_SHARE`). certbot renews a certificate earlier, when a third of its lifetime is left.
 */
const LATE = 14 * DAY;
const LATE_SHARE = 1 / 5;

/**
 * Returns a warning if the certificate has expired or its renewal is late, otherwise undefined. `now` is in milliseconds since the epoch.
 */
export function expiryWarning(
  { validFrom, validTo }: Pick<Certificate, 'validFrom' | 'validTo'>,
  now = Date.now(),
): { expired: boolean; text: string } | undefined {
  const left = validTo.getTime() - now;
  if (left > Math.min(LATE, (validTo.getTime() - validFrom.getTime()) * LATE_SHARE)) return undefined;
  const date = validTo.toISOString();
  return left <= 0
    ? { expired: true, text: `the certificate expired on ${date}: clients refuse the connection. Renew it.` }
    : {
        expired: false,
        text: `the certificate expires on ${date}, and is usually renewed sooner: does its renewal work?`,
      };
}

type TlsSettings = Pick<KnownSettings, 'listen' | 'issuer' | 'directory' | 'proxies'>;

/** Returns every reason why the service cannot start with its certificate. The list is also empty if `listen.tls` is not set. */
export async function certificateIssues(settings: TlsSettings): Promise<ConfigIssue[]> {
  const { tls } = settings.listen;
  return tls ? (await readCertificate(tls, settings)).issues : [];
}

/**
 * Returns advice on a certificate that can be used: a sentence if its renewal is late, and a sentence if the file lacks the issuer's
 * certificate.
 */
export async function adviceOnCertificate(settings: TlsSettings): Promise<string[]> {
  const { tls } = settings.listen;
  const certificate = tls && (await readCertificate(tls, settings)).certificate;
  if (!certificate) return [];
  const warning = expiryWarning(certificate);
  return [
    ...(warning ? [`${tls.certificate}: ${warning.text}`] : []),
    ...(certificate.standsAlone
      ? [
          `${tls.certificate} holds one certificate without that of its issuer: unless clients have it, they refuse the connection. ` +
            'Use the file with the chain (fullchain.pem).',
        ]
      : []),
  ];
}
