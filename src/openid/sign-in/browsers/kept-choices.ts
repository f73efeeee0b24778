// The cookie with choices for this browser: the address for the login field, and whether passkeys are offered. It is sealed. No account is
// looked up for it, so the page does not reveal whether there is one (decisions 114 and 115).

import type { Request, Response } from 'express';
import { COOKIES } from '#web/http/cookies.ts';
import { sealedCookie } from '#web/http/sealed-cookie.ts';
import type { Site } from '#web/site.ts';
import { DEVICE_COOKIE_LIFETIME } from './device-cookies.ts';

interface Choices {
  /** The address for the login field. */
  login?: string | undefined;
  /** True if several people use the browser. Then it keeps no address, and no passkey is offered. */
  shared?: true | undefined;
  /** Passkeys are offered again after this time, in seconds since 1970. */
  offerAfter?: number;
}

export type KeptChoices = ReturnType<typeof keptChoices>;

const CONTEXT = 'choices kept at this browser';
/** This path makes the cookie a `__Host-` cookie, which nobody can plant from a neighbour host. */
const path = '/';

/** Reads and writes these choices. The first of `keys` seals, all of them open. */
export function keptChoices({ secure }: Pick<Site, 'secure'>, keys: readonly string[]) {
  const cookie = sealedCookie(COOKIES.kept, keys, secure, path);
  const read = (req: Request) => JSON.parse(cookie.read(req, CONTEXT) ?? '{}') as Choices;
  return {
    read,
    /** Changes some choices. An undefined value removes a choice. Choices are kept as long as a browser is known after its last sign-in. */
    change: (req: Request, res: Response, changes: Choices): void => {
      // A second change in the same response must keep the first one.
      const choices: Choices = { ...(res.locals['kept'] ?? read(req)), ...changes };
      res.locals['kept'] = choices;
      const text = JSON.stringify(choices);
      if (text === '{}') cookie.clear(req, res, path);
      else cookie.write(res, text, { context: CONTEXT, path, seconds: DEVICE_COOKIE_LIFETIME });
    },
  };
}
