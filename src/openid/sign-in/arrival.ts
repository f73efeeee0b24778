// An arrival is a cookie that signs in a person who has just accepted an invitation by choosing a password, so that they need not type the
// password again. It is valid once, for a minute, and only for a sign-in to the account pages. It replaces only the password, and a second
// factor is still demanded.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFirstUse, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import type { Site } from '#web/site.ts';
import type { ProvedPassword } from './login/authenticate.ts';

/**
 * With this path, the cookie gets the prefix `__Host-`. An attacker on a neighbour host cannot plant such a cookie, for example to sign a
 * person in to the attacker's account.
 */
const path = '/';

interface ArrivalOptions {
  site: Pick<Site, 'secure'>;
  /** Keys for the cookie. The first key seals new cookies; each key can open cookies. */
  cookieKeys: readonly string[];
  records: Pick<OidcRecords, 'insertOnce'>;
}

/** Seconds for which an arrival is valid. This is more than enough, because redirects take the browser to the sign-in page at once. */
const VALID_FOR = 60;
const ARRIVAL = 'sign-in after an invitation';

export type Arrivals = ReturnType<typeof arrivalCookie>;

/**
 * Makes the functions that store an arrival in a cookie and use it up. An arrival proves that the person knows the password, because they
 * have just chosen it.
 */
export function arrivalCookie({ site, cookieKeys, records }: ArrivalOptions) {
  const cookie = sealedCookie(COOKIES.arrival, cookieKeys, site.secure, path);
  return {
    keep: (res: ServerResponse, arrival: ProvedPassword): void => {
      const text = JSON.stringify({ ...arrival, id: randomUUID(), until: Date.now() + VALID_FOR * 1000 });
      cookie.write(res, text, { context: ARRIVAL, path, seconds: VALID_FOR });
    },
    /** Removes the arrival of this browser and returns it; undefined if there is none, it has expired, or it was used before. */
    take: async (req: IncomingMessage, res: ServerResponse): Promise<ProvedPassword | undefined> => {
      const text = cookie.read(req, ARRIVAL);
      cookie.clear(req, res, path);
      const { id, until, ...arrival } = JSON.parse(text ?? '{"until":0}') as ProvedPassword & {
        id: string;
        until: number;
      };
      return until > Date.now() && (await isFirstUse(records, id)) ? arrival : undefined;
    },
  };
}
