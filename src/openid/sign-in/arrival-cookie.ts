// The cookie that signs in a person who has just chosen a password by an invitation, so that they need not type it again. It is sealed and
// valid once, for a minute, and only for a sign-in to the account pages. It replaces only the password: a second factor is still asked for.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFirstUse, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { COOKIES } from '#web/http/cookies.ts';
import { sealedCookie } from '#web/http/sealed-cookie.ts';
import type { Site } from '#web/site.ts';
import type { ProvedPassword } from './login/authenticate.ts';

interface ArrivalOptions {
  site: Pick<Site, 'secure'>;
  /** The first one seals; all of them open. */
  cookieKeys: readonly string[];
  records: Pick<OidcRecords, 'insertOnce'>;
}

/** Seconds within which the browser must arrive at the sign-in page. Redirects lead it there at once. */
const VALID_FOR = 60;
const CONTEXT = 'sign-in after an invitation';
/**
 * This path makes the cookie a `__Host-` cookie. An attacker on a neighbour host cannot plant it to sign a person in to the attacker's
 * account.
 */
const path = '/';

export type Arrivals = ReturnType<typeof arrivalCookie>;

/** Keeps and takes arrivals. An arrival proves a password that a person has just chosen. */
export function arrivalCookie({ site, cookieKeys, records }: ArrivalOptions) {
  const cookie = sealedCookie(COOKIES.arrival, cookieKeys, site.secure, path);
  return {
    keep: (res: ServerResponse, arrival: ProvedPassword): void => {
      const text = JSON.stringify({ ...arrival, id: randomUUID(), until: Date.now() + VALID_FOR * 1000 });
      cookie.write(res, text, { context: CONTEXT, path, seconds: VALID_FOR });
    },
    /** Returns the arrival of this browser and removes it. */
    take: async (req: IncomingMessage, res: ServerResponse): Promise<ProvedPassword | undefined> => {
      const text = cookie.read(req, CONTEXT);
      cookie.clear(req, res, path);
      const { id, until, ...arrival } = JSON.parse(text ?? '{"until":0}') as ProvedPassword & {
        id: string;
        until: number;
      };
      return until > Date.now() && (await isFirstUse(records, id)) ? arrival : undefined;
    },
  };
}
