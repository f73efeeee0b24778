// Issues and advice on `listen.tls`, for `check` and the start.

import type { ConfigIssue } from '#config/configuration-error.ts';
import type { KnownSettings } from '#config/service/load-settings.ts';
import { readCertificate } from './certificate.ts';
import { expiryWarning } from './expiry.ts';

export { type Certificate, readCertificate } from './certificate.ts';
export { expiryWarning } from './expiry.ts';

type TlsSettings = Pick<KnownSettings, 'listen' | 'issuer' | 'directory' | 'proxies'>;

/** Returns every reason why the service cannot start with its certificate. The list is empty without `listen.tls`. */
export async function certificateIssues(settings: TlsSettings): Promise<ConfigIssue[]> {
  const { tls } = settings.listen;
  return tls ? (await readCertificate(tls, settings)).issues : [];
}

/** Returns advice on the certificate, one sentence for each piece. */
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
