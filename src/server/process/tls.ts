// TLS within the service (SEC-51): protocols, ciphers, and a certificate that follows its files. `config/service/certificate.ts` reads the
// certificate, and tells when its renewal is late.

import { constants } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import type { Server as HttpsServer, ServerOptions } from 'node:https';
import { dirname } from 'node:path';
import { type Certificate, ConfigurationError, expiryWarning, issueReport, readCertificate } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import type { Logger } from '#shared/log/log.ts';

/**
 * Milliseconds between two checks of the files. Network file systems and volumes of containers may not report changes, so watching the
 * files is not enough.
 */
const LOOK_EVERY = 10_000;
/** Milliseconds to wait after a reported change, because certificate and key are written one after the other. */
const SETTLE = 300;
/** Milliseconds between two warnings about the same certificate. */
const WARN_EVERY = 86_400_000;

/**
 * Mozilla's intermediate configuration (Server Side TLS 5.7) without finite-field Diffie-Hellman. Key exchange is OpenSSL's default, which
 * prefers hybrid post-quantum groups. Every connection begins with a full handshake, without tickets or a session cache. So worker
 * processes and instances need not share anything, and there is no ticket key with which recorded connections of TLS 1.2 could be decrypted
 * (docs/decisions/0090-tls-in-the-service.md).
 */
export const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  // The client's order decides, because the client knows best whether its processor has AES.
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
} as const satisfies ServerOptions;

export interface FollowedCertificate {
  /** The certificate in force. */
  current(): Certificate;
  /**
   * From now on, every new connection of this server uses the certificate in force. Make the server with the options of
   * `contextOf(current())`.
   */
  serve(server: HttpsServer): void;
  close(): void;
}

type TlsSettings = Pick<Settings, 'issuer' | 'directory' | 'proxies'> & {
  listen: { tls: NonNullable<Settings['listen']['tls']> };
};

/**
 * Reads the certificate of `listen.tls` and follows its files. A new certificate with its key applies to new connections at once; a faulty
 * one is ignored and logged. Rejects with a `ConfigurationError` if there is no usable certificate. The first certificate is used even if
 * clients reject it, for example because it has expired. Only the start of the service refuses such a certificate (`certificateIssues`). If
 * a worker process refused it too, a worker that dies could not be replaced once the certificate has expired.
 */
export async function followCertificate(
  settings: TlsSettings,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { lookEvery = LOOK_EVERY, now = Date.now }: { lookEvery?: number; now?: () => number } = {},
): Promise<FollowedCertificate> {
  const files = settings.listen.tls;
  const { certificate, issues } = await readCertificate(files, settings, now());
  if (!certificate) throw new ConfigurationError(issues);
  let current = certificate;
  let reported = '';
  const servers = new Set<HttpsServer>();
  const warn = expiryWarnings(log, now);
  warn(current);

  const look = async () => {
    const reading = await readCertificate(files, settings, now());
    const next = reading.certificate;
    if (closed) return;
    if (!next || (reading.issues.length > 0 && !isSame(next, current))) {
      const report = issueReport(reading);
      if (report !== reported) {
        const since = { inForce: current.fingerprint, validTo: current.validTo.toISOString() };
        log.error(since, `TLS: the new certificate is refused, the last good one stays in force\n${report}`);
      }
      reported = report;
    } else {
      reported = '';
      if (!isSame(next, current)) {
        current = next;
        for (const server of servers) server.setSecureContext(contextOf(current));
        const { names, fingerprint, validTo } = current;
        log.info({ names, fingerprint, validTo: validTo.toISOString() }, 'TLS: the new certificate is in force');
      }
    }
    warn(current);
  };

  let closed = false;
  let looked: Promise<void> = Promise.resolve();
  let settling: NodeJS.Timeout | undefined;
  const lookAgain = () => {
    looked = looked
      .then(look)
      .catch((err: unknown) => log.error({ err }, 'TLS: the certificate could not be looked at'));
  };
  const timer = setInterval(lookAgain, lookEvery).unref();
  const settle = () => {
    clearTimeout(settling);
    settling = setTimeout(lookAgain, SETTLE).unref();
  };
  const folders = [...new Set([files.certificate, files.key].map((file) => dirname(file)))];
  const watches = folders.flatMap((folder) => watchFolder(folder, settle));
  return {
    current: () => current,
    serve: (server) => {
      servers.add(server);
      server.once('close', () => servers.delete(server));
    },
    close: () => {
      closed = true;
      clearInterval(timer);
      clearTimeout(settling);
      for (const one of watches) one.close();
    },
  };
}

/** Returns the TLS options of a server with this certificate. */
export function contextOf({ chain, key }: Certificate): ServerOptions {
  return { ...TLS_OPTIONS, cert: chain, key };
}

function isSame(one: Certificate, other: Certificate): boolean {
  return one.chain === other.chain && one.key === other.key;
}

/** Watches one folder. If that is impossible, only the regular checks find its changes. */
function watchFolder(folder: string, changed: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    return [watcher.on('error', () => watcher.close())];
  } catch {
    return [];
  }
}

/** Makes a function that logs once a day that a certificate expires soon, or has expired. */
function expiryWarnings(log: Pick<Logger, 'warn' | 'error'>, now: () => number): (certificate: Certificate) => void {
  let said = { text: '', at: 0 };
  return (certificate) => {
    const warning = expiryWarning(certificate, now());
    if (!warning || (warning.text === said.text && now() - said.at < WARN_EVERY)) return;
    said = { text: warning.text, at: now() };
    log[warning.expired ? 'error' : 'warn'](`TLS: ${warning.text}`);
  };
}
