// The sealed cookies of a sign-in: the arrival of a person who has just chosen a password, the outcome of a sign-in, and the choices that a
// browser keeps. The cookie by which known browsers are recognized is in `device-cookies.ts`.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { interactionUrl } from '#openid/routes.ts';
import { isFirstUse, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import { type Application, applicationOf } from '#web/pages/ways-on.ts';
import type { Site } from '#web/site.ts';
import { DEVICE_COOKIE_LIFETIME } from './device-cookies.ts';
import type { ProvedPassword } from './login/authenticate.ts';

/**
 * With this path, a cookie gets the prefix `__Host-`. An attacker on a neighbour host cannot plant such a cookie, for example to sign a
 * person in to the attacker's account.
 */
const path = '/';

// The arrival signs in a person who has just chosen a password by an invitation, so that they need not type the password again. It is valid
// once, for a minute, and only for a sign-in to the account pages. It replaces only the password, and a second factor is still demanded.

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

// The outcome of a sign-in is kept in case the person returns to the sign-in page afterwards by Back, a reload or a bookmark. The page then
// shows it. Browsers send the cookie only to the address of that page.

/** `refused`: the person refused on the consent page. `cancelled`: the sign-in ended without success on another page. */
type SignInOutcome = 'signed-in' | 'cancelled' | 'refused';

/** The end of a sign-in, as the cookie keeps it. */
export interface SignInEnd {
  outcome: SignInOutcome;
  /** The account that signed in. */
  accountId?: string;
  clientId: string;
  /** The `redirect_uri` of the request. */
  callback: string;
}

/** The end of a sign-in, as the page shows it. */
export interface FinishedSignIn {
  /** `over` means that the account is no longer signed in at this browser. */
  outcome: SignInOutcome | 'over';
  /** The application that sent the request. Undefined for the account pages, and for an application that is no longer registered. */
  application?: Application;
}

/** Seconds for which an outcome is kept: twelve hours, which is longer than a working day. */
const KEPT_FOR = 43_200;

/** Makes the functions that store and find the ends of sign-ins. The first of `keys` seals new cookies; each of `keys` can open cookies. */
export function finishedSignIns(provider: Provider, keys: readonly string[]) {
  const { issuer } = provider;
  const cookie = sealedCookie(COOKIES.finished, keys, issuer.startsWith('https:'));
  const contextOf = (uid: string) => `end of sign-in ${uid}`;
  return {
    keep: (res: ServerResponse, uid: string, end: SignInEnd): void => {
      const at = { context: contextOf(uid), path: interactionUrl(issuer, uid), seconds: KEPT_FOR };
      cookie.write(res, JSON.stringify(end), at);
    },

    find: async (req: IncomingMessage, res: ServerResponse, uid: string): Promise<FinishedSignIn | undefined> => {
      const text = cookie.read(req, contextOf(uid));
      if (text === undefined) return undefined;
      const { outcome, clientId, callback, accountId } = JSON.parse(text) as SignInEnd;
      const client = clientId === OWN_CLIENT_ID ? undefined : await provider.Client.find(clientId);
      const application = client && applicationOf(client, callback);
      const session = await provider.Session.get(provider.createContext(req, res) as never);
      const over = outcome === 'signed-in' && session.accountId !== accountId;
      return { outcome: over ? 'over' : outcome, ...(application && { application }) };
    },
  };
}

// A browser keeps two choices: the address for the login field, and whether passkeys are offered. No account is looked up for the kept
// address, so the page does not reveal whether an account has that address (decisions 114 and 115).

interface Choices {
  /** The address for the login field. */
  login?: string | undefined;
  /** True if several people use the browser. The browser then keeps no address, and no passkey is offered. */
  shared?: true | undefined;
  /** Passkeys are offered again after this time, in seconds since 1970. */
  offerAfter?: number;
}

export type KeptChoices = ReturnType<typeof keptChoices>;

const CHOICES = 'choices kept at this browser';

/**
 * Makes the functions that read and change the choices of a browser. The first of `keys` seals new cookies; each of `keys` can open
 * cookies.
 */
export function keptChoices({ secure }: Pick<Site, 'secure'>, keys: readonly string[]) {
  const cookie = sealedCookie(COOKIES.kept, keys, secure, path);
  const read = (req: Request) => JSON.parse(cookie.read(req, CHOICES) ?? '{}') as Choices;
  return {
    read,
    /**
     * Changes the given choices. An undefined value removes a choice. Choices are kept for as long as a browser is known after a sign-in
     * (`DEVICE_COOKIE_LIFETIME`).
     */
    change: (req: Request, res: Response, changes: Choices): void => {
      // If the same response changes choices twice, the second change must keep the first. So the choices are also kept in `res.locals`.
      const choices: Choices = { ...(res.locals['kept'] ?? read(req)), ...changes };
      res.locals['kept'] = choices;
      const text = JSON.stringify(choices);
      if (text === '{}') cookie.clear(req, res, path);
      else cookie.write(res, text, { context: CHOICES, path, seconds: DEVICE_COOKIE_LIFETIME });
    },
  };
}
