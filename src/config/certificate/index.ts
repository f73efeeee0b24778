// What `check` and the start say of `listen.tls`.

import type { ConfigIssue } from '#config/configuration-error.ts';
import type { KnownSettings } from '#config/service/known-settings.ts';
import { readCertificate } from './certificate.ts';
import { expiryWarning } from './expiry.ts';

export { type Certificate, readCertificate } from './certificate.ts';
export { expiryWarning } from './expiry.ts';

type TlsSettings = Pick<KnownSettings, 'listen' | 'issuer' | 'directory' | 'proxies'>;

/** Why the service cannot start with its certificate: every reason. None without `listen.tls`. */
export async function certificateIssues(settings: TlsSettings): Promise<ConfigIssue[]> {
  const { tls } = settings.listen;
  return tls ? (await readCertificate(tls, settings)).issues : [];
}

/** One sentence for each piece of advice. */
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
