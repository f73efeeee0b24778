// Issues and advice on `listen.tls`, for `check` and the start.

import type { ConfigIssue } from '#config/configuration-error.ts';
import type { KnownSettings } from '#config/service/load-settings.ts';
import { type Certificate, readCertificate } from './certificate.ts';

export { type Certificate, readCertificate } from './certificate.ts';

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

const DAY = 86_400_000;
/**
 * A renewal is late in the last two weeks of a certificate, and in the last fifth of a shorter lifetime. certbot renews when a third is
 * left.
 */
const LATE = 14 * DAY;
const LATE_SHARE = 1 / 5;

/** Returns a warning if little time is left, otherwise undefined. `now` is in milliseconds. */
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
