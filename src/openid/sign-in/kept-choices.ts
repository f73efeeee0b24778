// A browser keeps two choices: the e-mail address for the login field, and whether passkeys are offered. No account is looked up for the
// kept address, so the page does not reveal whether an account has that address (decisions 114 and 115).

import type { Request, Response } from 'express';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import type { Site } from '#web/site.ts';
import { DEVICE_COOKIE_LIFETIME } from './device-cookies.ts';

/**
 * With this path, the cookie gets the prefix `__Host-`. An attacker on a neighbour host cannot plant such a cookie.
 */
const path = '/';

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
