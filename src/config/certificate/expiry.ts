// When a certificate is renewed late, and what is said of that.

import type { Certificate } from './certificate.ts';

const DAY = 86_400_000;
/** Renewal is late in the last two weeks, and in the last fifth of a shorter life: certbot renews with a third left. */
const LATE = 14 * DAY;
const LATE_SHARE = 1 / 5;

/** What to say of the time that is left; undefined as long as that is enough. `now` in milliseconds. */
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
