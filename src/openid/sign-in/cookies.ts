// The sealed cookies of a sign-in: the arrival of a person who has just chosen a password, the outcome of a sign-in, and the choices that a
// browser keeps. `device-cookies.ts` has the cookie of known browsers.

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
 * This path makes a cookie a `__Host-` cookie. An attacker on a neighbour host cannot plant it, for example to sign a person in to the
 * attacker's account.
 */
const path = '/';

// The arrival signs in a person who has just chosen a password by an invitation, so that they need not type it again. It is valid once, for
// a minute, and only for a sign-in to the account pages. It replaces only the password: a second factor is still asked for.

interface ArrivalOptions {
  site: Pick<Site, 'secure'>;
  /** The first one seals; all of them open. */
  cookieKeys: readonly string[];
  records: Pick<OidcRecords, 'insertOnce'>;
}

/** Seconds within which the browser must arrive at the sign-in page. Redirects lead it there at once. */
const VALID_FOR = 60;
const ARRIVAL = 'sign-in after an invitation';

export type Arrivals = ReturnType<typeof arrivalCookie>;

/** Keeps and takes arrivals. An arrival proves a password that a person has just chosen. */
export function arrivalCookie({ site, cookieKeys, records }: ArrivalOptions) {
  const cookie = sealedCookie(COOKIES.arrival, cookieKeys, site.secure, path);
  return {
    keep: (res: ServerResponse, arrival: ProvedPassword): void => {
      const text = JSON.stringify({ ...arrival, id: randomUUID(), until: Date.now() + VALID_FOR * 1000 });
      cookie.write(res, text, { context: ARRIVAL, path, seconds: VALID_FOR });
    },
    /** Returns the arrival of this browser and removes it. */
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

// The outcome is shown by the sign-in page if somebody returns by Back, a reload or a bookmark. Browsers send the cookie only to the
// address of that page.

/** `cancelled`: before anybody signed in. `refused`: on the consent page. */
type SignInOutcome = 'signed-in' | 'cancelled' | 'refused';

/** The end of a sign-in, as the cookie keeps it. */
export interface SignInEnd {
  outcome: SignInOutcome;
  /** The account that signed in. */
  accountId?: string;
  clientId: string;
  /** The `redirect_uri`. */
  callback: string;
}

/** The end of a sign-in, as the page shows it. */
export interface FinishedSignIn {
  /** `over` means that the account is no longer signed in at this browser. */
  outcome: SignInOutcome | 'over';
  /** Undefined for the account pages, and for an application that is no longer registered. */
  application?: Application;
}

/** Seconds for which an outcome is kept: twelve hours, a working day. */
const KEPT_FOR = 43_200;

/** Keeps and finds the ends of sign-ins. The first of `keys` seals; all of them open. */
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

// The choices are the address for the login field, and whether passkeys are offered. No account is looked up for them, so the page does not
// reveal whether there is one (decisions 114 and 115).

interface Choices {
  /** The address for the login field. */
  login?: string | undefined;
  /** True if several people use the browser. Then it keeps no address, and no passkey is offered. */
  shared?: true | undefined;
  /** Passkeys are offered again after this time, in seconds since 1970. */
  offerAfter?: number;
}

export type KeptChoices = ReturnType<typeof keptChoices>;

const CHOICES = 'choices kept at this browser';

/** Reads and writes these choices. The first of `keys` seals, all of them open. */
export function keptChoices({ secure }: Pick<Site, 'secure'>, keys: readonly string[]) {
  const cookie = sealedCookie(COOKIES.kept, keys, secure, path);
  const read = (req: Request) => JSON.parse(cookie.read(req, CHOICES) ?? '{}') as Choices;
  return {
    read,
    /** Changes some choices. An undefined value removes a choice. Choices are kept as long as a browser is known after its last sign-in. */
    change: (req: Request, res: Response, changes: Choices): void => {
      // A second change in the same response must keep the first one.
      const choices: Choices = { ...(res.locals['kept'] ?? read(req)), ...changes };
      res.locals['kept'] = choices;
      const text = JSON.stringify(choices);
      if (text === '{}') cookie.clear(req, res, path);
      else cookie.write(res, text, { context: CHOICES, path, seconds: DEVICE_COOKIE_LIFETIME });
    },
  };
}
