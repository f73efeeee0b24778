// Tells whether the renewal of a certificate is late.

import type { Certificate } from './certificate.ts';

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
